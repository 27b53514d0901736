// Written by `npm run tool -- fit-next-edit`. What is asked are numbers of preferenceNames.
import type { Trees } from '../evidence/trees.ts';

// biome-ignore format: a tree is a line
export const preferenceTrees: Trees = {
  bias: -0.717,
  trees: [
    // logRatio, odds, ofTail, inPlace, oldest
    { asked: [1, 0, 3, 4, 4, 10, 0], above: [2.711, -0.6429, -0.9421, 0.458, -1.772, 0, -1.298], leaves: [-0.0819, -0.03267, -0.02959, 0.05476, -0.02144, 0.06312, 0.03203, 0.1589] },
    // logRatio, odds, ofTail, inPlace, oldest
    { asked: [1, 0, 3, 4, 4, 10, 4], above: [2.711, -0.8376, -2.616, -0.728, -1.772, 0, -0.728], leaves: [-0.08299, -0.03403, -0.0294, 0.04209, -0.03452, 0.05502, 0.06997, 0.1566] },
    // odds, logRatio, inPlace, ofTail
    { asked: [0, 1, 4, 4, 3, 3, 3], above: [-0.3752, 0.06143, -1.772, 7.472, -2.616, -0.4091, -2.616], leaves: [-0.08048, -0.01486, -0.0205, 0.05331, -0.009709, 0.08044, 0.06133, 0.1353] },
    // logRatio, odds, ofTail, inPlace, oldest
    { asked: [1, 0, 3, 1, 4, 10, 4], above: [3.853, -0.7754, -2.616, -0.6258, -1.772, 0, -4.109], leaves: [-0.0712, -0.02335, -0.01775, 0.04004, -0.02668, 0.05957, 0.04385, 0.1298] },
    // odds, logRatio, ofNew, inPlace, ofTail, rarestNew
    { asked: [0, 1, 2, 4, 3, 5, 3], above: [-0.3752, 0.06143, -0.4487, 7.472, -2.616, -8.018, -0.4091], leaves: [-0.0742, -0.01017, -0.01889, 0.04505, -0.03727, 0.03227, 0.04755, 0.1153] },
    // odds, logRatio, inPlace, ofTail, mayContinue
    { asked: [0, 1, 1, 4, 3, 4, 48], above: [-0.5145, 0.06143, 3.853, 8.742, -3.812, -1.772, 0], leaves: [-0.07154, -0.009426, -0.02197, 0.0368, -0.01422, 0.04336, 0.09963, 0.01993] },
    // ofNew, inPlace, odds, likeBefore, ofTail
    { asked: [2, 4, 0, 0, 26, 4, 3], above: [-0.5126, -0.1128, -0.578, 0.2542, 0.9091, 2.588, -0.9421], leaves: [-0.07634, 0.0187, -0.03938, 0.02096, -0.02072, 0.04774, 0.03353, 0.09368] },
    // logRatio, odds, ofTail, inPlace, rarestNew, oldest
    { asked: [1, 0, 3, 4, 5, 10, 4], above: [2.711, -0.8376, -0.9421, -2.315, -9.373, 0, -0.1128], leaves: [-0.06845, -0.02376, -0.03635, 0.01832, -0.02263, 0.04192, 0.04757, 0.1014] },
    // ofNew, inPlace, odds, likeBefore, ofTail
    { asked: [2, 4, 4, 0, 26, 0, 3], above: [-0.5126, -0.1128, -0.728, -0.09872, 0.9091, -0.6429, -2.616], leaves: [-0.07361, 0.001443, -0.03611, 0.01966, -0.02582, 0.0268, 0.02855, 0.0899] },
    // logRatio, likeBefore, ofTail, inPlace, newestLines, votes
    { asked: [1, 26, 3, 4, 45, 14, 4], above: [0.06143, 0.8947, -1.678, -3.382, 0, 7, 0.458], leaves: [-0.07777, -0.03335, 0.04606, -0.02767, -0.01401, 0.04641, 0.03292, 0.08714] },
    // odds, ofNew, inPlace, ofTail, logRatio
    { asked: [0, 2, 4, 4, 4, 3, 1], above: [-0.4454, -0.5126, -1.772, 8.742, 2.588, -0.05095, 4.161], leaves: [-0.06016, -0.005624, -0.01625, 0.03754, -0.01351, 0.06736, 0.03501, 0.08322] },
    // odds, ofNew, mayContinue, inPlace, logRatio, isJustTyped
    { asked: [0, 2, 48, 4, 4, 1, 47], above: [0.2542, -0.5126, 0, -0.1128, 0.458, -1.082, 1], leaves: [-0.0647, -0.0144, -0.009432, 0.04003, 0.008308, 0.0808, 0.03838, -0.06399] },
    // odds, logRatio, ofNew, inPlace, likeBelow
    { asked: [0, 1, 2, 4, 4, 4, 29], above: [-0.6429, -0.6258, -0.01013, 8.742, -0.728, -1.772, 0.1667], leaves: [-0.06108, -0.0009749, -0.02222, 0.01335, -0.008451, 0.03813, 0.04693, 0.09984] },
    // logRatio, odds, inPlace, rarestNew, rarestOld, mayContinue, ofTail
    { asked: [1, 0, 4, 5, 6, 48, 3], above: [3.853, -0.8376, -0.728, -4.407, -8.812, 0, -3.812], leaves: [-0.04711, -0.004009, 0.05276, -0.005072, 0.02248, -0.05097, 0.03292, 0.07868] },
    // odds, ofNew, mayContinue, inPlace, logRatio, isJustTyped
    { asked: [0, 2, 48, 4, 4, 1, 47], above: [0.2542, -0.5126, 0, -3.382, 2.588, -1.082, 1], leaves: [-0.06404, -0.01627, -0.004672, 0.03922, 0.006425, 0.06994, 0.03268, -0.06188] },
    // ofNew, odds, rarestOld, inPlace, votes, comeChars
    { asked: [2, 0, 6, 4, 14, 22, 0], above: [-0.01013, -0.6429, -1.621, -0.728, 9, 2, 1.478], leaves: [-0.03999, -0.007087, 0.00569, 0.0712, 0.02473, 0.08502, 0.01506, 0.01492] },
    // ofNew, nowThere, rarestNew, ofTail, goneChars
    { asked: [2, 36, 2, 5, 3, 3, 21], above: [-0.5126, -1, -0.01013, -8.018, -0.2837, -2.616, 9], leaves: [-0.03804, 0.008012, -0.07435, -0.01501, -0.004376, 0.02959, 0.03847, 0.08449] },
    // odds, ofNew, mayContinue, newestLines, inPlace, logRatio, rarestNew
    { asked: [0, 2, 48, 45, 4, 1, 5], above: [0.2542, -0.5126, 0, 0, 2.098, 7.696, -6.667], leaves: [0.01174, -0.04474, -0.005021, 0.03282, 0.04069, 0.08921, -0.04553, 0.03913] },
    // odds, logRatio, ofTail, inPlace
    { asked: [0, 1, 3, 4, 3, 4, 1], above: [-0.6429, -0.6258, -0.1287, 8.742, -3.812, -1.772, -1.924], leaves: [-0.05134, 0.004006, -0.01533, 0.01698, -0.01728, 0.02721, -0.0004134, 0.06174] },
    // ofNew, votes, isPassed, inPlace, odds, comeChars
    { asked: [2, 14, 17, 4, 0, 22, 0], above: [-0.01013, 9, 0, -3.382, -0.9147, 2, 1.478], leaves: [-0.03032, 0.003161, -0.02397, 0.06817, 0.01498, 0.07299, 0.005827, 0.008757] },
    // ofNew, oldLeft, ofTail, rarestNew, age, oldest, rarestOld
    { asked: [2, 35, 3, 5, 9, 10, 6], above: [-0.742, -1, -2.616, -7.4, 1, 0, -8.812], leaves: [-0.03306, 0.01164, -0.07355, -0.0297, -0.03029, 0.0187, 0.07912, 0.02142] },
    // odds, ofNew, mayContinue, rarestNew, rarestOld, logRatio, inPlace
    { asked: [0, 2, 48, 5, 6, 1, 4], above: [0.2542, -0.742, 0, -5.463, -8.812, 7.696, 4.836], leaves: [-0.04929, 0.003309, 0.0376, -0.004322, 0.03431, 0.08058, -0.03192, 0.05522] },
    // odds, inPlace, logRatio, ofNew, isImport, votes, goneChars
    { asked: [0, 4, 1, 2, 42, 14, 21], above: [-1.359, -0.728, 6.533, -0.5126, 0, 9, 10], leaves: [-0.06415, -0.02174, -0.01512, 0.04172, -0.002476, 0.05741, 0.01656, 0.06478] },
    // ofNew, odds, goneChars, newestLines, votes, places, distance
    { asked: [2, 0, 21, 45, 14, 11, 15], above: [-0.01013, -1.64, 9, 1, 9, 3, 54], leaves: [-0.01748, -0.06305, -0.002108, 0.04807, 0.03908, -0.01823, 0.08104, 0.02095] },
    // odds, ofNew, mayContinue, newestLines, rarestOld, likeBelow, isJustTyped
    { asked: [0, 2, 48, 45, 6, 29, 47], above: [0.2542, -0.742, 0, 0, -8.812, 0.2857, 1], leaves: [0.01516, -0.04155, 0.03442, -0.00392, 0.0154, 0.05497, 0.02316, -0.06246] },
    // ofNew, odds, logRatio, newestLines, votes, likeAfter, goneChars
    { asked: [2, 0, 1, 45, 14, 27, 21], above: [-0.01013, -1.64, 7.696, 1, 9, 0.8667, 6], leaves: [-0.01574, -0.06001, -0.00195, 0.0436, -0.01537, 0.04724, 0.01781, 0.08219] },
    // ofTail, rarestNew, odds, rarestOld, nowThere, edits
    { asked: [3, 5, 0, 6, 36, 44, 6], above: [-0.1287, -10.34, -0.8376, -10.09, 1, 1, -8.069], leaves: [0.01242, -0.04987, 0.006837, -0.03494, 0.02676, -0.0326, 0.0728, 0.03186] },
    // ofNew, inPlace, isPassed, ofTail, logRatio, odds
    { asked: [2, 4, 17, 2, 3, 1, 0], above: [-0.01013, -0.728, 0, -0.742, -1.678, 7.696, 1.478], leaves: [-0.04497, -0.004937, -0.0001324, 0.03143, 0.02859, 0.07122, -0.003276, 0.006788] },
    // odds, newestLines, ofTail, isImport, logRatio, rarestNew, ofNew
    { asked: [0, 45, 3, 42, 1, 5, 2], above: [-1.64, 1, -0.1287, 0, -0.3011, -10.34, -0.09285], leaves: [-0.02087, 0.03355, -0.06936, -0.02571, -0.03283, 0.006702, 0.005498, 0.04907] },
    // odds, inPlace, distance, ofNew, finder, likeBelow, mayContinue
    { asked: [0, 4, 15, 2, 7, 29, 48], above: [0.2542, -0.1128, 25, -0.742, 1, 0.24, 0], leaves: [-0.04737, -0.005882, 0.01767, -0.0223, 0.0001466, 0.06377, 0.01929, -0.03888] },
    // ofNew, odds, places, newestLines, rarestOld, likeAfter
    { asked: [2, 0, 11, 45, 6, 27, 0], above: [-0.006614, -1.64, 3, 1, -8.812, 0.7647, 1.478], leaves: [-0.01207, -0.05476, 0.02628, -0.003449, 0.02021, 0.06514, -0.009153, 0.007984] },
    // logRatio, likeBefore, goneChars, ofNew, newestLines, rarestNew, distance
    { asked: [1, 26, 21, 2, 45, 5, 15], above: [6.533, 0.8947, 10, -0.742, 0, -2.487, 84], leaves: [-0.04089, -0.002264, 0.04986, 0.000787, -0.006943, 0.04653, 0.05763, -0.006206] },
    // ofTail, rarestNew, odds, rarestOld, nowThere, wasDeclared
    { asked: [3, 5, 0, 6, 36, 38, 6], above: [-0.1287, -10.34, -0.8376, -10.09, 1, 0, -8.069], leaves: [0.01279, -0.04377, 0.006231, -0.03193, 0.008478, -0.05426, 0.06493, 0.0248] },
    // ofNew, inPlace, rarestOld, likeAfter, ofTail, distance, odds
    { asked: [2, 4, 6, 27, 3, 15, 0], above: [-0.006614, -3.382, -1.621, 0.5843, -1.678, 7, 1.478], leaves: [-0.04625, -0.006066, -0.002614, 0.02479, 0.01011, 0.06123, -0.01063, 0.009711] },
    // odds, inPlace, ofNew, logRatio
    { asked: [0, 4, 0, 2, 1, 0, 0], above: [1.311, 0.458, 1.478, -0.742, 3.853, 1.478, 1.478], leaves: [-0.03882, -0.002414, 0.0009003, 0.02936, 0.05068, 0, 0, 0.05882] },
    // odds, rarestNew, rarestOld, places
    { asked: [0, 5, 0, 6, 11, 0, 0], above: [1.311, -0.9865, 1.478, -8.812, 2, 1.478, 1.478], leaves: [0.0167, -0.01022, 0.05215, -0.0333, 0.04859, 0, 0, 0.05674] },
    // votes, inPlace, likeBelow, ofTail, ofNew, isJustTyped, distance
    { asked: [14, 4, 29, 3, 2, 47, 15], above: [9, -2.784, 0.5455, -0.2837, -0.01013, 0, 45], leaves: [-0.02387, 0.01059, 0.001716, 0.04522, -0.03325, 0.03677, 0.073, 0.01227] },
    // odds, isString, rarestOld, distance, inPlace, rarestNew, isBelow
    { asked: [0, 43, 6, 15, 4, 5, 16], above: [-1.912, 0, -1.621, 66, -1.772, -10.34, 0], leaves: [-0.05224, -0.006504, -0.03567, 0.04875, -0.01731, 0.01354, -0.05077, -0.006246] },
    // odds, nowThere, ofTail, likeAfter
    { asked: [0, 36, 0, 3, 27, 0, 0], above: [1.311, 3, 1.478, -0.1287, 0.5843, 1.478, 1.478], leaves: [-0.002792, 0.02529, -0.06051, 0.002486, 0.04595, 0, 0, 0.05289] },
    // votes, rarestOld, likeBelow, ofTail, rarestNew, isJustTyped, distance
    { asked: [14, 6, 29, 3, 5, 47, 15], above: [9, -8.812, 0.5455, -2.616, -9.373, 0, 45], leaves: [0.0006012, 0.04706, -0.02974, -0.001975, -0.03147, 0.03382, 0.06778, 0.01129] },
    // oldLeft, ofNew, comeChars, rarestOld, inPlace, likeBelow
    { asked: [35, 2, 22, 6, 4, 29, 2], above: [2, -0.006614, 15, -2.065, 0.458, 0.3333, -0.2633], leaves: [0.005164, -0.02037, 0.01602, 0.05897, -0.05565, -0.008397, -0.0251, 0.03795] },
    // odds, rarestNew, likeBelow, places
    { asked: [0, 5, 0, 29, 11, 0, 0], above: [1.311, -0.9865, 1.478, 0.5455, 2, 1.478, 1.478], leaves: [-0.01081, 0.00939, 0.04698, -0.03254, 0.04338, 0, 0, 0.04936] },
    // odds, isString, rarestOld, distance, inPlace, ofNew, logRatio
    { asked: [0, 43, 6, 15, 4, 2, 1], above: [-1.912, 0, -1.621, 66, -1.772, -0.006614, 1.086], leaves: [-0.04897, -0.00515, -0.03348, 0.0464, 0.004593, 0.04423, -0.04775, -0.003994] },
    // nowThere, ofTail, likeAfter, mayContinue, goneChars, rarestOld, ofNew
    { asked: [36, 3, 27, 48, 21, 6, 2], above: [3, -0.1287, 0.5843, 0, 0, -8.562, -0.2633], leaves: [0.003533, -0.02779, -0.03015, 0.03206, -0.01177, -0.06807, -0.03567, 0.03748] },
    // votes, rarestOld, likeBelow, ofTail, rarestNew, isJustTyped, distance
    { asked: [14, 6, 29, 3, 5, 47, 15], above: [9, -8.812, 0.5455, -2.616, -5.463, 0, 45], leaves: [0.0002178, 0.04304, -0.01662, 0.004964, -0.02975, 0.03178, 0.06264, 0.008997] },
    // oldLeft, ofNew, comeChars, distance, inPlace, ofTail
    { asked: [35, 2, 22, 15, 4, 3, 2], above: [2, -0.004261, 15, 45, -0.728, -0.03126, -0.2633], leaves: [0.007033, -0.01119, 0.01157, 0.06321, -0.04871, 0.0009572, -0.02273, 0.03557] },
    // odds, rarestNew, ofNew, places
    { asked: [0, 5, 0, 2, 11, 0, 0], above: [1.311, -0.9865, 1.478, -0.742, 2, 1.478, 1.478], leaves: [-0.01632, 0.001926, 0.04239, -0.03174, 0.04051, 0, 0, 0.04559] },
    // odds, nowThere, inPlace, likeAfter
    { asked: [0, 36, 0, 4, 27, 0, 0], above: [1.311, 3, 1.478, -12, 0.5843, 1.478, 1.478], leaves: [-0.016, 0.005679, -0.05402, 0.004185, 0.03889, 0, 0, 0.0441] },
    // votes, rarestOld, distance, ofTail, changes, goneChars
    { asked: [14, 6, 15, 3, 3, 25, 21], above: [9, -8.812, 20, -2.616, -0.03126, 1, 5], leaves: [0.000341, 0.04027, -0.01043, 0.0194, 0.06415, 0.00882, -0.04282, 0.02526] },
    // oldLeft, ofNew, comeChars, rarestOld, inPlace, likeBelow
    { asked: [35, 2, 22, 6, 4, 29, 2], above: [2, -0.006614, 15, -2.065, 0.458, 0.3333, -0.2633], leaves: [0.004507, -0.01749, 0.01174, 0.05091, -0.04957, -0.005378, -0.02107, 0.03336] },
    // odds, rarestOld, mayContinue, ofTail, likeAbove, logRatio, isJustTyped
    { asked: [0, 6, 48, 3, 28, 1, 47], above: [-1.912, -6.957, 0, -9.106, 0.5714, 7.696, 1], leaves: [0.02479, -0.02764, -0.05245, 0.007801, 0.003506, 0.03729, 0.01433, -0.06166] },
    // odds, rarestNew, age, places
    { asked: [0, 5, 0, 9, 11, 0, 0], above: [1.311, -0.9865, 1.478, 0, 2, 1.478, 1.478], leaves: [-0.009731, 0.006786, 0.03886, -0.03069, 0.03632, 0, 0, 0.04135] },
    // nowThere, changes, ofNew, rarestOld, oldest, odds, likeAfter
    { asked: [36, 25, 2, 6, 10, 0, 27], above: [1, 1, -1.427, -6.767, 0, 1.478, 0.5843], leaves: [0.02771, 0.00005908, -0.02825, 0.001782, -0.06315, 0, -0.02137, 0.01684] },
    // ofTail, age, logRatio, rarestNew, distance, ofNew, goneChars
    { asked: [3, 9, 1, 5, 15, 2, 21], above: [-0.9421, 0, -1.924, -6.667, 196, -2.943, 2], leaves: [-0.03913, 0.002621, 0.01771, -0.03317, 0.007129, -0.05443, -0.02118, 0.02702] },
    // votes, oldest, isJustTyped, ofTail, likeBefore, isDangling, goneChars
    { asked: [14, 10, 47, 3, 26, 49, 21], above: [9, 2, 0, -0.9421, 0.9091, 0, 9], leaves: [-0.01184, 0.01095, -0.01036, 0.04175, -0.03828, 0.03433, 0.06785, 0.01624] },
    // oldLeft, ofNew, comeChars, distance, inPlace, likeBelow
    { asked: [35, 2, 22, 15, 4, 29, 2], above: [2, -0.004261, 15, 66, -0.728, 0.3333, -0.2633], leaves: [0.005299, -0.0128, 0.008312, 0.05648, -0.04658, -0.004285, -0.01851, 0.03057] },
    // rarestOld, nowThere, logRatio, changes, ofNew, inPlace, isBelow
    { asked: [6, 36, 1, 25, 2, 4, 16], above: [-1.621, 1, -1.082, 1, -1.218, -9.152, 0], leaves: [0.01409, -0.00946, -0.05806, -0.003277, -0.06417, -0.02091, -0.03762, 0.01286] },
    // odds, places, rarestNew, ofTail
    { asked: [0, 11, 0, 5, 3, 0, 0], above: [1.311, 1, 1.478, -2.176, -0.08195, 1.478, 1.478], leaves: [-0.001184, 0.03349, -0.01798, 0.01943, 0.03315, 0, 0, 0.03855] },
    // odds, isString, rarestOld, rarestNew, oldest, likeBelow
    { asked: [0, 43, 6, 5, 5, 10, 29], above: [-1.912, 0, -1.621, -10.66, -6.667, 2, 0.3333], leaves: [0.009487, -0.04071, -0.01619, 0.04452, 0.001652, 0.0279, -0.03717, 0.003315] },
    // ofNew, likeBefore, distance, isImport, newestLines, places, goneChars
    { asked: [2, 26, 15, 42, 45, 11, 21], above: [-0.742, 0.9091, 75, 0, 0, 1, 12], leaves: [-0.04181, 0.02493, 0.04791, -0.004789, 0.02119, -0.009223, 0.002219, -0.04196] },
  ],
};
