// Written by `npm run tool -- fit-next-edit`. What is asked are numbers of evidenceNames.
import type { Trees } from './trees.ts';

// biome-ignore format: a tree is a line
export const evidenceTrees: Trees = {
  bias: -3.104,
  trees: [
    // votes, places, likeAfter, times, goneChars
    { asked: [7, 4, 20, 7, 1, 4, 14], above: [4, 1, 0.8, 2, 1, 6, 2], leaves: [0.06105, 0.4596, -0.08362, 0.03082, 0.3325, -0.009179, 0.3793, 1.157] },
    // likeBefore, places, votes, isRename, oldLeft
    { asked: [19, 4, 7, 24, 7, 4, 28], above: [0.875, 1, 2, 0, 4, 5, 1], leaves: [0.02444, 0.4164, -0.07721, 0.07962, 0.1219, -0.05147, 0.4714, 0.001529] },
    // likeBefore, isRename, isJustTyped, places, staysElsewhere, likeAfter
    { asked: [19, 24, 40, 4, 4, 30, 20], above: [0.7692, 0, 0, 1, 5, -1, 0.75], leaves: [0.0007433, -0.09046, 0.2001, -0.04885, 0.1311, -0.06769, -0.02787, 0.3669] },
    // likeBefore, places, isRename, votes, times
    { asked: [19, 4, 4, 24, 24, 7, 1], above: [0.5833, 1, 3, 0, 0, 2, 1], leaves: [-0.008211, 0.1774, -0.09337, -0.01671, 0.06682, 0.2623, -0.02636, 0.1558] },
    // likeBefore, places, otherWords, isRename, votes, times
    { asked: [19, 4, 4, 6, 24, 7, 1], above: [0.5833, 1, 7, 0, 0, 2, 1], leaves: [0.08963, -0.06016, -0.09021, -0.01499, 0.02305, 0.1903, -0.07147, 0.07038] },
    // votes, places, oldLeft, otherWords, times, isJustTyped
    { asked: [7, 4, 28, 6, 1, 40, 1], above: [2, 1, 5, 0, 1, 0, 1], leaves: [0.06785, -0.04679, -0.08049, -0.005479, 0.03951, 0.2033, -0.08205, 0.04098] },
    // likeBefore, isRename, isJustTyped, likeAbove, staysElsewhere, isPart, likeAfter
    { asked: [19, 24, 40, 21, 30, 25, 20], above: [0.5833, 0, 0, 0.8837, 0, -1, 0.56], leaves: [-0.07682, 0.06939, 0.07858, -0.1017, 0.05001, -0.06694, -0.06364, 0.1555] },
    // votes, places, otherWords, goneChars, sameLeft
    { asked: [7, 4, 4, 6, 7, 14, 26], above: [2, 1, 11, 0, 1, 5, 0], leaves: [0.05849, -0.03988, -0.08221, -0.03316, 0.01088, 0.1389, -0.08691, 0.001077] },
    // places, generator, times, staysElsewhere, otherWords, likeAbove
    { asked: [4, 0, 1, 30, 6, 21, 4], above: [4, 1, 1, 0, 0, 0.8837, 11], leaves: [0.1032, -0.09773, 0.05833, -0.05391, -0.07918, 0.03253, 0.103, -0.04203] },
    // likeBefore, isRename, newestLines, likeAbove, isPart, staysElsewhere, times
    { asked: [19, 24, 38, 21, 25, 30, 1], above: [0.5833, 0, 2, 0.8837, 0, 0, 1], leaves: [-0.06902, 0.06127, 0.06749, -0.09695, 0.08262, -0.07411, -0.04862, 0.02491] },
    // places, isJustTyped, votes, sameLeft, generator, times
    { asked: [4, 40, 7, 26, 0, 1, 0], above: [4, 0, 9, -1, 1, 1, Infinity], leaves: [0.0175, -0.06891, 0.1095, -0.01757, -0.06978, 0.01616, 0.1528, 0] },
    // staysElsewhere, votes, times, otherWords, isJustTyped, sameLeft, generator
    { asked: [30, 7, 1, 6, 40, 26, 0], above: [0, 1, 2, 0, 0, 0, Infinity], leaves: [0.009307, -0.07632, 0.0003787, 0.08471, -0.1065, -0.05335, -0.03291, 0] },
    // places, oldLeft, times, generator, likeAbove
    { asked: [4, 28, 1, 0, 1, 21, 4], above: [2, 2, 1, 1, 1, 0.8, 11], leaves: [0.08379, 0.0002509, -0.07688, 0.02367, -0.05988, 0.02551, 0.08554, -0.04032] },
    // staysElsewhere, votes, times, otherWords, isJustTyped, sameLeft, generator
    { asked: [30, 7, 1, 6, 40, 26, 0], above: [0, 1, 2, 0, 0, 0, Infinity], leaves: [0.008606, -0.07102, -0.00006016, 0.06834, -0.1037, -0.04946, -0.03219, 0] },
    // places, newestLines, votes, otherWords, times, sameLeft, generator
    { asked: [4, 38, 7, 6, 1, 26, 0], above: [7, 1, 9, 2, 1, 0, Infinity], leaves: [0.05524, -0.0509, -0.04213, 0.05819, -0.07149, 0.03325, 0.1003, 0] },
    // staysElsewhere, votes, times, places, goneChars, generator, isPart
    { asked: [30, 7, 1, 4, 14, 0, 25], above: [0, 1, 1, 1, 5, Infinity, 0], leaves: [0.02031, -0.06031, -0.006092, 0.05665, -0.101, 0, -0.02013, -0.08016] },
    // staysElsewhere, times, nearerPlaces, isPart, generator
    { asked: [30, 1, 1, 5, 25, 0, 25], above: [0, 1, 1, 0, 0, Infinity, 0], leaves: [0.02229, -0.03757, 0.09577, -0.05744, -0.09846, 0, -0.01847, -0.07758] },
    // newestLines, isPart, nearerPlaces, isRename, likeAbove, likeAfter, generator
    { asked: [38, 25, 5, 24, 21, 20, 0], above: [2, 0, 2, 0, 0.2105, 0.4571, Infinity], leaves: [0.002348, 0.08576, -0.1035, -0.04328, -0.06291, -0.01295, -0.09242, 0] },
    // votes, places, newestLines, otherWords, sameLeft, changes, generator
    { asked: [7, 4, 38, 6, 26, 18, 0], above: [9, 7, 1, 2, 0, 1, Infinity], leaves: [0.01734, -0.05669, -0.0641, 0.0282, 0.1682, 0.05924, 0.03905, 0] },
    // staysElsewhere, newestLines, times, isJustTyped, distance, generator, nearerPlaces
    { asked: [30, 38, 1, 40, 8, 0, 5], above: [0, 2, 1, 0, 50, Infinity, 1], leaves: [-0.009585, 0.04382, -0.01755, -0.07337, -0.09508, 0, -0.002348, -0.05778] },
    // likeBefore, otherWords, goneChars, oldLeft, generator, votes, likeAfter
    { asked: [19, 6, 14, 28, 0, 7, 20], above: [0.4706, 1, 1, 11, 3, 8, 0.4571], leaves: [0.004787, -0.08539, -0.08643, -0.007699, -0.04645, 0.08501, -0.01923, 0.05382] },
    // isPart, newestLines, votes, isRename, distance, generator
    { asked: [25, 38, 7, 24, 8, 0, 0], above: [0, 1, 2, 0, 50, Infinity, Infinity], leaves: [0.004927, 0.07897, -0.0103, -0.06548, -0.1032, 0, -0.005301, 0] },
    // staysElsewhere, times, goneChars, distance, sameLeft, generator
    { asked: [30, 1, 1, 14, 8, 26, 0], above: [0, 1, 2, 56, 75, 0, Infinity], leaves: [0.00362, -0.07705, 0.08701, 0.004669, -0.09167, -0.03479, -0.01577, 0] },
    // oldLeft, isPart, likeAfter, generator, votes, sameLeft, isRename
    { asked: [28, 25, 20, 0, 7, 26, 24], above: [11, 0, 0.625, 1, 2, 0, 0], leaves: [0.03375, -0.01928, -0.09697, 0.001202, -0.08672, -0.0106, -0.04345, 0.04616] },
    // nowThere, isPart, times, distance, oldLeft
    { asked: [29, 25, 1, 1, 1, 8, 28], above: [4, 0, 2, 1, 2, 6, 8], leaves: [0.003664, 0.08059, -0.09584, -0.01737, 0.007172, -0.07912, 0.08523, -0.007535] },
    // newestLines, isPart, likeAfter, goneChars, generator, isImport, distance
    { asked: [38, 25, 20, 14, 0, 35, 8], above: [1, 0, 0.5897, 1, Infinity, 0, 42], leaves: [-0.03029, 0.0344, -0.0879, 0, -0.06255, 0.04344, 0.01892, -0.03735] },
    // votes, nearerPlaces, goneChars, likeAfter, distance
    { asked: [7, 5, 14, 14, 20, 8, 14], above: [9, 0, 5, 7, 0.2778, 20, 18], leaves: [-0.01561, 0.03549, -0.05726, -0.0116, 0.08372, -0.009372, 0.1424, 0.04729] },
    // staysElsewhere, goneChars, times, generator, isBelow
    { asked: [30, 14, 1, 14, 0, 0, 9], above: [0, 50, 1, 6, 1, Infinity, 0], leaves: [-0.01601, 0.03564, 0.05649, -0.07655, -0.08593, 0, -0.0521, 0.005094] },
    // isBelow, isPassed, comeChars, goneChars, generator, newestLines, oldLeft
    { asked: [9, 10, 15, 14, 0, 38, 28], above: [0, 0, 2, 7, Infinity, 0, 23], leaves: [-0.02884, 0.0217, -0.1235, 0, 0.05633, -0.04615, 0.04304, -0.06077] },
    // votes, isJustTyped, changes, isUndeclared, comeChars, goneChars, generator
    { asked: [7, 40, 18, 33, 15, 14, 0], above: [9, 0, 1, -1, 1, 5, Infinity], leaves: [0.0009228, -0.06553, -0.05124, 0.02831, 0.05642, 0.1355, 0.03161, 0] },
    // isPart, isRename, votes, oldLeft, isJustTyped, generator
    { asked: [25, 24, 7, 28, 40, 0, 0], above: [0, 0, 2, 1, 0, Infinity, Infinity], leaves: [0.008333, -0.07193, -0.04214, 0.06956, -0.09339, 0, 0.003269, 0] },
    // places, otherWords, likeAbove, goneChars, generator, sameLeft
    { asked: [4, 6, 21, 14, 0, 26, 0], above: [11, 4, 0.8837, 6, 3, 0, Infinity], leaves: [-0.01303, 0.02827, -0.07817, 0.0316, -0.06556, 0.005776, 0.03146, 0] },
    // isPart, newestLines, votes, isJustTyped, distance, generator
    { asked: [25, 38, 7, 40, 8, 0, 0], above: [0, 1, 2, 0, 50, Infinity, Infinity], leaves: [-0.006092, 0.03295, -0.005326, -0.05497, -0.09041, 0, 0.002518, 0] },
    // isBelow, isPassed, likeAbove, goneChars, generator, distance, comeChars
    { asked: [9, 10, 21, 14, 0, 8, 15], above: [0, 0, 0.8, 0, Infinity, 50, 6], leaves: [-0.04282, 0.009209, -0.122, 0, 0.0242, -0.02775, 0.008295, 0.1006] },
    // votes, times, changes, nowThere, likeBelow, goneChars, generator
    { asked: [7, 1, 18, 29, 22, 14, 0], above: [9, 3, 1, 4, 0, 5, Infinity], leaves: [-0.0002307, -0.05092, 0.112, 0.01505, 0.05103, 0.1218, 0.0262, 0] },
    // goneChars, isPart, generator, votes, newestLines
    { asked: [14, 25, 0, 14, 7, 0, 38], above: [56, 0, 1, 6, 2, Infinity, 0], leaves: [-0.01269, 0.0257, -0.08698, 0.001346, 0.04253, 0, -0.03481, -0.09161] },
    // newestLines, goneChars, times, nowThere, generator, nearerPlaces
    { asked: [38, 14, 1, 29, 0, 5, 0], above: [4, 56, 1, 4, 1, 0, Infinity], leaves: [0.01682, -0.03107, 0.03953, -0.0731, -0.03201, -0.07785, 0.01556, 0] },
    // isBelow, isPassed, votes, times, generator, otherWords, nowThere
    { asked: [9, 10, 7, 1, 0, 6, 29], above: [0, 0, 1, 2, Infinity, 1, 10], leaves: [-0.006285, 0.06303, -0.1203, 0, -0.0001175, -0.05686, 0.03376, -0.04168] },
    // isPart, times, votes, nowThere, isJustTyped, generator
    { asked: [25, 1, 7, 29, 40, 29, 0], above: [0, 1, 2, 1, 1, 1, Infinity], leaves: [0.006395, -0.04942, 0.05226, -0.07355, -0.09428, -0.02789, -0.0006237, 0] },
    // places, otherWords, likeAbove, mayContinue, generator, distance
    { asked: [4, 6, 21, 41, 0, 8, 0], above: [11, 4, 0.8837, 0, 3, 115, Infinity], leaves: [0.01657, -0.03321, -0.07225, 0.02776, -0.0276, -0.07883, 0.02742, 0] },
    // staysElsewhere, goneChars, times, generator, edits
    { asked: [30, 14, 1, 14, 0, 14, 37], above: [0, 56, 1, 0, 1, 12, 4], leaves: [-0.02156, 0.01518, 0.03284, -0.0705, -0.07984, -0.02587, 0.0124, -0.0433] },
    // isPart, isRename, votes, oldLeft, isJustTyped, generator
    { asked: [25, 24, 7, 28, 40, 0, 0], above: [0, 0, 2, 1, 0, Infinity, Infinity], leaves: [0.005663, -0.06281, -0.03747, 0.05098, -0.08186, 0, -0.001229, 0] },
    // votes, distance, changes, generator, isImport, goneChars
    { asked: [7, 8, 18, 0, 35, 14, 0], above: [9, 64, 1, 1, 0, 5, Infinity], leaves: [0.01802, -0.01851, -0.02865, 0.05858, 0.04176, 0.1051, 0.01545, 0] },
    // newestLines, mayContinue, times, isJustTyped, nearerPlaces, generator
    { asked: [38, 41, 1, 40, 40, 5, 0], above: [4, 0, 1, 0, 1, 0, Infinity], leaves: [-0.00742, 0.03063, 0.02456, -0.0973, -0.02744, -0.07154, 0.01249, 0] },
    // isPart, isBelow, votes, isPassed, comeChars, nowThere, generator
    { asked: [25, 9, 7, 10, 15, 29, 0], above: [0, 0, 2, 0, 2, 0, Infinity], leaves: [0.002399, -0.1186, -0.01493, 0.02745, -0.08991, -0.03329, -0.001742, 0] },
    // times, nowThere, places, goneChars, distance, oldLeft, comeChars
    { asked: [1, 29, 4, 14, 8, 28, 15], above: [3, 4, 7, 56, 22, 3, 10], leaves: [0.006194, -0.04835, -0.0005125, -0.05935, 0.1106, 0.02552, -0.03019, 0.03963] },
    // isPart, newestLines, likeAbove, nowThere, distance, generator
    { asked: [25, 38, 21, 29, 8, 0, 0], above: [0, 1, 0.1818, 51, 20, Infinity, Infinity], leaves: [0.01291, -0.07205, 0.006795, -0.03577, -0.07873, 0, -0.005381, 0] },
    // isComment, likeAbove, likeBefore, goneChars, age, likeAfter, distance
    { asked: [34, 21, 19, 14, 2, 20, 8], above: [0, 0.8837, 0.45, 0, 0, 0.3226, 30], leaves: [-0.04344, 0.007435, 0.002292, 0.11, -0.08956, -0.0242, 0.0526, -0.02758] },
    // votes, mayContinue, likeAfter, isJustTyped, generator, distance
    { asked: [7, 41, 20, 40, 40, 0, 8], above: [9, 0, 0.8, 1, 1, Infinity, 20], leaves: [-0.005308, 0.04276, 0.01728, -0.09448, 0.09859, 0, 0.06181, 0.00729] },
    // staysElsewhere, times, nowThere, isRename, goneChars, comeChars
    { asked: [30, 1, 1, 29, 24, 14, 15], above: [0, 3, 1, 33, 0, 10, 11], leaves: [0.001873, -0.06732, 0.009696, 0.09435, -0.07428, -0.02704, 0.01983, -0.03517] },
    // isPart, goneChars, nowThere, generator
    { asked: [25, 14, 29, 14, 0, 14, 0], above: [0, 50, 1, 7, 1, 12, Infinity], leaves: [-0.008863, 0.01921, 0.03505, -0.05722, -0.0911, -0.03206, -0.0016, 0] },
    // isBelow, isPassed, distance, isComment, generator, likeAbove
    { asked: [9, 10, 8, 34, 0, 0, 21], above: [0, 0, 115, 0, Infinity, 2, 0.8], leaves: [0.006861, -0.04239, -0.1171, 0, 0.02779, -0.01163, -0.03375, 0.03504] },
    // newestLines, removesLine, likeAfter, likeBefore, otherWords, isImport, oldest
    { asked: [38, 16, 20, 19, 6, 35, 3], above: [0, 0, 0.3, 0.4706, 0, 0, 0], leaves: [-0.06849, -0.01467, 0.1442, 0.01164, -0.04422, 0.04802, -0.009582, 0.0247] },
    // places, otherWords, sameLeft, mayContinue, votes, age, distance
    { asked: [4, 6, 26, 41, 7, 2, 8], above: [11, 4, 0, 0, 3, 0, 64], leaves: [0.01261, -0.02715, -0.06434, 0.02723, -0.0622, -0.004801, 0.03339, 0.006517] },
    // staysElsewhere, nowThere, times, newestLines, generator, goneChars, comeChars
    { asked: [30, 29, 1, 38, 0, 14, 15], above: [0, 51, 1, 4, Infinity, 10, 11], leaves: [0.007265, -0.03398, -0.06231, 0, -0.07007, -0.02489, 0.01837, -0.03239] },
    // isPart, isRename, likeAbove, likeBefore, generator
    { asked: [25, 24, 21, 24, 19, 0, 0], above: [0, 0, 0.1818, -1, 0.9333, Infinity, Infinity], leaves: [0.005564, -0.05221, 0.03059, -0.09762, -0.07243, 0, -0.00024, 0] },
    // votes, isInsideWord, changes, goneChars, edits, distance, generator
    { asked: [7, 39, 18, 14, 37, 8, 0], above: [9, 0, 1, 0, 2, 30, Infinity], leaves: [-0.0241, 0.004315, -0.09917, -0.02238, 0.08351, 0.02561, 0.00491, 0] },
    // isComment, likeAbove, likeBefore, goneChars, age, comeChars
    { asked: [34, 21, 19, 14, 2, 15, 21], above: [0, 0.8837, 0.45, 0, 0, 10, 0.8837], leaves: [-0.03679, 0.005383, 0.0008796, 0.09132, -0.086, -0.02171, 0.03725, -0.04699] },
    // distance, votes, oldLines, newestLines, isBelow, oldest, isImport
    { asked: [8, 7, 12, 38, 9, 3, 35], above: [64, 1, 0, 0, 0, 0, 0], leaves: [0.04711, -0.0282, -0.0009468, 0.02584, -0.0413, 0.1153, -0.02595, 0.06059] },
    // times, nowThere, likeBefore, goneChars, distance, likeAfter
    { asked: [1, 29, 19, 14, 8, 20, 20], above: [2, 3, 0.8182, 56, 6, 0.3, 0.9667], leaves: [0.005044, -0.04149, 0.03945, -0.05394, -0.03084, 0.09003, -0.04813, 0.04272] },
    // isPart, nearerPlaces, nowThere, mayContinue, isRename, goneChars, generator
    { asked: [25, 5, 29, 41, 24, 14, 0], above: [0, 7, 1, 0, 0, 12, Infinity], leaves: [0.008549, -0.02308, -0.0538, -0.000928, -0.08632, -0.02718, 0.004773, 0] },
    // isComment, isJustTyped, likeBefore, generator, isRename, comeChars, newestLines
    { asked: [34, 40, 19, 0, 24, 15, 38], above: [0, 0, 0.45, 0, 0, 6, 0], leaves: [-0.04404, 0.00421, -0.003103, 0.03825, -0.08793, -0.02859, 0.09515, -0.01283] },
    // isPart, goneChars, nowThere, edits, isDangling, generator
    { asked: [25, 14, 29, 37, 42, 14, 0], above: [0, 70, 1, 1, 0, 12, Infinity], leaves: [0.0167, -0.004229, -0.06725, 0.02067, -0.08383, -0.02601, 0.003954, 0] },
    // times, nowThere, likeBefore, places, distance, likeAfter
    { asked: [1, 29, 19, 4, 8, 20, 20], above: [2, 3, 0.8182, 1, 6, 0.3, 0.9667], leaves: [0.01503, -0.008727, 0.03495, -0.04952, -0.02751, 0.07709, -0.04463, 0.03995] },
    // isBelow, isPassed, likeBefore, otherWords, generator, age, distance
    { asked: [9, 10, 19, 6, 0, 2, 8], above: [0, 0, 0, 0, Infinity, 0, 6], leaves: [0.01122, -0.02037, -0.1152, 0, -0.02059, 0.1465, 0.03535, -0.003902] },
    // votes, isInsideWord, likeAfter, otherWords, edits, generator, comeChars
    { asked: [7, 39, 20, 6, 37, 0, 15], above: [9, 0, 0.8, 0, 2, Infinity, 4], leaves: [0.005456, -0.01633, -0.09547, -0.01924, 0.08538, 0, -0.01303, 0.03629] },
    // newestLines, newLines, comeChars, otherWords, likeBefore, isImport
    { asked: [38, 13, 15, 6, 19, 35, 35], above: [0, 0, 2, 2, 0.4706, 0, 0], leaves: [0.09526, -0.007397, -0.06655, -0.01605, -0.04092, 0.08263, 0.009155, -0.05459] },
    // likeAbove, goneChars, likeBefore, oldest, edits, likeAfter, staysElsewhere
    { asked: [21, 14, 19, 3, 37, 20, 30], above: [0.8, 0, 0.9333, 0, 1, 0.4324, -1], leaves: [-0.06537, -0.009647, 0.02243, -0.009636, -0.04315, 0.06557, 0.006813, -0.08781] },
    // isPart, times, likeAbove, nowThere, isJustTyped, generator
    { asked: [25, 1, 21, 29, 40, 0, 0], above: [0, 1, 0.1818, 1, 1, Infinity, Infinity], leaves: [0.004099, -0.03522, 0.03205, -0.07516, -0.06601, 0, 0.002304, 0] },
    // nearerPlaces, mayContinue, goneChars, votes, isJustTyped, generator
    { asked: [5, 41, 14, 7, 40, 0, 0], above: [10, 0, 2, 1, 1, Infinity, Infinity], leaves: [-0.01329, 0.01318, 0.02488, -0.08587, -0.01704, 0, -0.05838, 0] },
    // isComment, isJustTyped, likeBefore, oldLeft, leavesOpen, comeChars, newestLines
    { asked: [34, 40, 19, 28, 43, 15, 38], above: [0, 0, 0.45, 0, -1, 10, 0], leaves: [0.002963, -0.04006, -0.07974, 0.01633, -0.0773, -0.0161, 0.07634, -0.01343] },
    // age, newestLines, likeBefore, isInsideWord, oldest, likeBelow
    { asked: [2, 38, 19, 39, 3, 22, 22], above: [2, 6, 0.7213, 0, 0, 0.1, 0.1], leaves: [0.005592, -0.05983, -0.05385, -0.01164, -0.07188, -0.02241, 0.03795, -0.01976] },
    // isPart, goneChars, likeAbove, changes, generator
    { asked: [25, 14, 21, 18, 0, 0, 0], above: [0, 50, 0.1818, 1, 1, Infinity, Infinity], leaves: [0.008207, -0.01865, 0.02274, -0.04572, -0.06259, 0, 0.002102, 0] },
    // votes, isInsideWord, likeAfter, age, generator, distance
    { asked: [7, 39, 20, 2, 0, 0, 8], above: [9, 0, 0.8, 2, Infinity, Infinity, 20], leaves: [0.00122, -0.0342, -0.06232, 0, 0.07659, 0, 0.04334, -0.005408] },
    // isBelow, isPassed, likeBefore, goneChars, generator, votes, distance
    { asked: [9, 10, 19, 14, 0, 7, 8], above: [0, 0, 0, 7, Infinity, 1, 14], leaves: [-0.01538, 0.01332, -0.1131, 0, 0.001591, 0.153, 0.02199, -0.007453] },
    // nearerPlaces, mayContinue, goneChars, isJustTyped, generator
    { asked: [5, 41, 14, 14, 40, 0, 0], above: [10, 0, 2, 7, 1, Infinity, Infinity], leaves: [-0.00922, 0.0147, 0.02225, -0.08064, -0.01522, 0, -0.05467, 0] },
    // goneChars, isPart, isDangling, changes, generator
    { asked: [14, 25, 42, 18, 14, 0, 0], above: [70, 0, 0, 1, 16, Infinity, Infinity], leaves: [0.006761, -0.01694, -0.05974, 0.003313, -0.0623, 0, 0.01929, 0] },
    // votes, isInsideWord, isDangling, otherWords, generator, isJustTyped
    { asked: [7, 39, 42, 6, 0, 40, 0], above: [9, 0, 0, 0, Infinity, 0, Infinity], leaves: [0.004481, -0.01454, -0.05762, 0, -0.03482, 0.03925, 0.06677, 0] },
    // distance, generator, isComment, comeChars, likeBefore, newestLines, likeAfter
    { asked: [8, 0, 34, 15, 19, 38, 20], above: [50, 1, 0, 20, 0.9333, 1, 0.4324], leaves: [0.02071, -0.01969, -0.004423, -0.07859, 0.006108, -0.03201, -0.07701, -0.02288] },
    // staysElsewhere, oldLines, times, changes, oldLeft, likeAbove, comeChars
    { asked: [30, 12, 1, 18, 28, 21, 15], above: [0, 1, 1, 1, 2, 0.125, 11], leaves: [0.002645, -0.02763, 0.06147, -0.006085, -0.06122, -0.0213, 0.02232, -0.02717] },
  ],
};
