// Written by `npm run tool -- fit-next-edit`: what each of preferenceNumbers adds to the logarithm of the odds.

export const preferenceBias = 0.292;
export const preferenceWeights = [0.973, 0.127, 0.0267, 0.0163];
