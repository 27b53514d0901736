// Written by `npm run tool -- fit-next-edit`. What is asked are numbers of evidenceNames.
import type { Trees } from './trees.ts';

// biome-ignore format: a tree is a line
export const evidenceTrees: Trees = {
  bias: -3.075,
  trees: [
    // votes, places, likeBefore, times
    { asked: [7, 4, 19, 7, 1, 4, 4], above: [4, 1, 0.7761, 2, 1, 5, 7], leaves: [0.05938, 0.4454, -0.08391, 0.02828, 0.3054, -0.003595, 1.035, 0.2944] },
    // likeBefore, places, votes, isRename, isJustTyped
    { asked: [19, 4, 7, 24, 7, 4, 40], above: [0.8837, 1, 2, 0, 4, 3, 0], leaves: [0.02085, 0.4104, -0.07744, 0.08073, 0.1393, -0.03079, 0.2239, 0.5659] },
    // likeBefore, isRename, isUndeclared, votes, places, finder, likeAfter
    { asked: [19, 24, 33, 7, 4, 0, 20], above: [0.8276, 0, -1, 5, 5, 1, 0.8571], leaves: [-0.07971, 0.1277, 0.2018, -0.04532, 0.3241, -0.01858, -0.0775, 0.05749] },
    // likeBefore, places, votes, otherWords, isRename, goneChars
    { asked: [19, 4, 7, 6, 24, 4, 14], above: [0.5882, 1, 2, 0, 0, 2, 3], leaves: [0.1107, -0.05929, -0.0945, -0.01826, 0.0865, -0.03973, 0.04575, 0.2419] },
    // likeBefore, places, isJustTyped, isRename, finder, likeAfter
    { asked: [19, 4, 40, 24, 24, 0, 20], above: [0.5882, 1, 0, 0, 0, 0, 0.5714], leaves: [-0.006019, 0.1517, -0.09138, -0.01641, -0.06878, 0.06406, -0.06583, 0.217] },
    // votes, places, oldLeft, otherWords, times, isJustTyped
    { asked: [7, 4, 28, 6, 1, 40, 1], above: [2, 1, 4, 0, 1, 0, 1], leaves: [0.06826, -0.04528, -0.08157, 0.0005488, 0.04979, 0.196, -0.08033, 0.0518] },
    // likeBefore, isRename, places, likeAbove, staysElsewhere, newestLines, times
    { asked: [19, 24, 4, 21, 30, 38, 1], above: [0.5882, 0, 3, 0.8889, 0, 2, 1], leaves: [-0.07783, 0.07267, 0.07732, -0.1016, 0.1455, 0.007574, -0.03567, 0.1145] },
    // places, votes, times, otherWords, goneChars, likeAbove
    { asked: [4, 7, 1, 6, 14, 21, 4], above: [2, 2, 1, 0, 2, 0.8, 11], leaves: [0.05068, -0.05417, -0.01094, 0.1529, -0.07028, 0.02519, 0.1255, -0.04699] },
    // votes, places, oldLeft, isImport, likeAfter, goneChars, times
    { asked: [7, 4, 28, 35, 20, 14, 1], above: [2, 1, 10, 0, 0.4889, 5, 1], leaves: [0.004076, 0.1526, -0.08234, -0.03322, 0.01382, 0.1221, -0.09844, -0.01141] },
    // places, isJustTyped, votes, likeBefore, finder, times
    { asked: [4, 40, 7, 19, 0, 1, 0], above: [4, 0, 9, 0.8276, 1, 1, Infinity], leaves: [-0.03751, 0.0567, 0.1197, -0.02038, -0.07215, 0.01577, 0.1696, 0] },
    // staysElsewhere, votes, times, otherWords, isJustTyped, finder, places
    { asked: [30, 7, 1, 6, 40, 0, 4], above: [0, 1, 2, 0, 0, Infinity, 11], leaves: [0.01548, -0.08072, 0.003253, 0.09172, -0.1045, 0, -0.0007767, -0.0626] },
    // staysElsewhere, votes, times, otherWords, places, sameLeft, finder
    { asked: [30, 7, 1, 6, 4, 26, 0], above: [0, 1, 2, 0, 11, 0, Infinity], leaves: [0.0135, -0.07716, 0.05956, -0.05284, -0.1063, -0.05405, -0.03713, 0] },
    // places, newestLines, votes, goneChars, times, sameLeft
    { asked: [4, 38, 7, 14, 1, 26, 4], above: [5, 1, 7, 2, 1, 0, 10], leaves: [-0.02224, 0.06775, -0.04078, 0.08581, -0.06795, 0.03807, 0.1275, 0.002452] },
    // staysElsewhere, times, places, isPart, finder, nearerPlaces
    { asked: [30, 1, 1, 4, 25, 0, 5], above: [0, 1, 1, 1, 0, Infinity, 0], leaves: [0.04483, -0.0315, 0.1159, -0.05697, -0.1036, 0, -0.002501, -0.06537] },
    // likeBefore, isRename, newestLines, likeAbove, isPart, goneChars, distance
    { asked: [19, 24, 38, 21, 25, 14, 8], above: [0.5882, 0, 2, 0.8889, 0, 1, 50], leaves: [-0.0626, 0.07853, 0.06205, -0.09606, -0.01558, 0.06804, -0.009945, -0.06077] },
    // staysElsewhere, otherWords, times, goneChars, finder, isPart
    { asked: [30, 6, 1, 14, 0, 0, 25], above: [0, 2, 1, 6, 3, Infinity, 0], leaves: [-0.01274, 0.05503, -0.08358, 0.03914, -0.1009, 0, -0.02157, -0.08002] },
    // staysElsewhere, votes, times, otherWords, isJustTyped, finder, isPart
    { asked: [30, 7, 1, 6, 40, 0, 25], above: [0, 1, 1, 0, 0, Infinity, 0], leaves: [0.008178, -0.06806, -0.005575, 0.05826, -0.09837, 0, -0.0198, -0.07741] },
    // places, goneChars, votes, finder, sameLeft
    { asked: [4, 14, 7, 14, 0, 26, 0], above: [7, 51, 9, 7, 1, 0, Infinity], leaves: [-0.009183, 0.05493, 0.05289, -0.08628, -0.06605, 0.0259, 0.09879, 0] },
    // newestLines, isPart, likeAfter, isRename, finder, isImport, distance
    { asked: [38, 25, 20, 24, 0, 35, 8], above: [1, 0, 0.5714, 0, Infinity, 0, 50], leaves: [0.006357, 0.09358, -0.09896, 0, -0.07525, 0.03173, 0.0169, -0.0465] },
    // staysElsewhere, times, nearerPlaces, distance, sameLeft, finder
    { asked: [30, 1, 1, 5, 8, 26, 0], above: [0, 1, 2, 0, 59, 0, Infinity], leaves: [0.02022, -0.03514, 0.1019, 0.01488, -0.09495, -0.03905, -0.02122, 0] },
    // oldLeft, goneChars, likeAfter, isPart, finder, sameLeft, isRename
    { asked: [28, 14, 20, 25, 0, 26, 24], above: [10, 51, 0.6316, 0, 1, 0, 0], leaves: [0.02649, -0.08667, 0.02992, -0.08523, -0.08896, -0.01936, -0.04442, 0.05281] },
    // newestLines, isJustTyped, nearerPlaces, sameRight, comeChars, likeAfter, finder
    { asked: [38, 40, 5, 27, 15, 20, 0], above: [2, 0, 2, -1, 1, 0.4615, Infinity], leaves: [0.01573, -0.07654, -0.0432, 0.05558, -0.05829, -0.01171, -0.08736, 0] },
    // votes, places, newestLines, otherWords, isRename, changes, finder
    { asked: [7, 4, 38, 6, 24, 18, 0], above: [9, 7, 1, 2, 0, 1, Infinity], leaves: [0.01459, -0.05588, -0.06662, -0.008651, 0.1422, 0.05317, 0.03602, 0] },
    // isPart, newestLines, votes, isRename, times, finder
    { asked: [25, 38, 7, 24, 1, 0, 0], above: [0, 1, 2, 0, 1, Infinity, Infinity], leaves: [0.004384, 0.07032, -0.0425, 0.02662, -0.1014, 0, -0.003856, 0] },
    // staysElsewhere, votes, times, otherWords, oldLines, finder, isBelow
    { asked: [30, 7, 1, 6, 12, 0, 9], above: [0, 1, 1, 0, 0, Infinity, 0], leaves: [0.009153, -0.05924, 0.2023, 0.01609, -0.08981, 0, -0.05552, -0.0001894] },
    // oldLeft, goneChars, likeAfter, isPart, finder, times, isRename
    { asked: [28, 14, 20, 25, 0, 1, 24], above: [10, 51, 0.6316, 0, 1, 1, 0], leaves: [0.02108, -0.07966, 0.02476, -0.07893, -0.0892, -0.03396, -0.03645, 0.04462] },
    // votes, goneChars, likeAbove, isJustTyped, comeChars, finder
    { asked: [7, 14, 14, 21, 40, 15, 0], above: [9, 0, 5, 0.8, 0, 8, Infinity], leaves: [-0.06888, 0.03278, -0.02217, 0.02988, -0.009053, 0.0827, 0.121, 0] },
    // isPart, nowThere, votes, finder, times
    { asked: [25, 29, 7, 0, 1, 0, 0], above: [0, 4, 2, 1, 2, Infinity, Infinity], leaves: [0.03498, -0.01913, -0.06525, 0.05072, -0.09675, 0, 0.000591, 0] },
    // isBelow, isPassed, distance, goneChars, finder, votes, likeAfter
    { asked: [9, 10, 8, 14, 0, 7, 20], above: [0, 0, 50, 7, Infinity, 2, 0.4615], leaves: [-0.02921, 0.02048, -0.124, 0, 0.00625, 0.05978, -0.05257, 0.01676] },
    // staysElsewhere, times, nowThere, likeAfter, finder, isBelow
    { asked: [30, 1, 1, 29, 20, 0, 9], above: [0, 3, 1, 4, 0.3077, Infinity, 0], leaves: [0.007451, -0.04864, -0.001946, 0.1211, -0.08379, 0, -0.0478, 0.002977] },
    // newestLines, isPart, nearerPlaces, isJustTyped, likeAbove, oldLeft, finder
    { asked: [38, 25, 5, 40, 21, 28, 0], above: [2, 0, 2, 0, 0.2222, 1, Infinity], leaves: [-0.009975, 0.03313, -0.09048, -0.02367, -0.00995, -0.05247, -0.07816, 0] },
    // places, otherWords, sameLeft, goneChars, likeAfter, finder
    { asked: [4, 6, 26, 14, 20, 0, 4], above: [11, 4, 0, 5, 0.4, 1, 17], leaves: [-0.01711, 0.02826, -0.07774, 0.0181, -0.07196, -0.01604, -0.02934, 0.06418] },
    // isBelow, isPassed, comeChars, goneChars, finder, newestLines, oldLeft
    { asked: [9, 10, 15, 14, 0, 38, 28], above: [0, 0, 2, 0, Infinity, 0, 24], leaves: [-0.04511, 0.008889, -0.1223, 0, 0.05584, -0.04564, 0.04002, -0.06037] },
    // isPart, times, votes, nowThere, isJustTyped, finder
    { asked: [25, 1, 7, 29, 40, 0, 0], above: [0, 1, 2, 1, 1, Infinity, Infinity], leaves: [0.006466, -0.05168, 0.05659, -0.0628, -0.09137, 0, 0.003012, 0] },
    // goneChars, finder, likeAbove, mayContinue, places, newestLines
    { asked: [14, 14, 0, 21, 41, 4, 38], above: [51, 6, 1, 0.8, 0, 1, 0], leaves: [-0.03235, 0.03648, 0.03489, -0.04798, 0.03269, -0.007662, -0.02328, -0.09164] },
    // votes, isPart, goneChars, isRename, distance
    { asked: [7, 25, 14, 24, 7, 8, 14], above: [9, 0, 5, 0, 2, 20, 19], leaves: [-0.01319, 0.0318, -0.08865, 0.002438, 0.072, -0.0144, 0.1139, 0.02991] },
    // newestLines, staysElsewhere, times, goneChars, nearerPlaces, finder
    { asked: [38, 30, 1, 14, 1, 5, 0], above: [4, 0, 1, 51, 2, 0, Infinity], leaves: [0.01416, -0.0499, -0.07133, 0.001676, -0.03373, -0.07806, 0.01109, 0] },
    // isBelow, isPassed, distance, goneChars, finder, likeAbove
    { asked: [9, 10, 8, 14, 0, 0, 21], above: [0, 0, 76, 0, Infinity, 2, 0.8], leaves: [-0.04013, 0.00774, -0.1205, 0, 0.03765, -0.01128, -0.03278, 0.04739] },
    // isPart, newestLines, votes, isJustTyped, distance, nowThere, finder
    { asked: [25, 38, 7, 40, 8, 29, 0], above: [0, 1, 2, 0, 43, 1, Infinity], leaves: [-0.006635, 0.02943, -0.001482, -0.05034, -0.09481, -0.03013, 0.001582, 0] },
    // nowThere, otherWords, times, goneChars, votes, distance
    { asked: [29, 6, 1, 14, 7, 8, 8], above: [4, 1, 2, 6, 5, 7, 36], leaves: [-0.01002, 0.03232, -0.04951, 0.06572, 0.02279, -0.06799, 0.06962, -0.01088] },
    // isPart, goneChars, votes, finder, nowThere
    { asked: [25, 14, 7, 14, 0, 29, 0], above: [0, 51, 2, 0, 1, 1, Infinity], leaves: [-0.02502, 0.0161, 0.02207, -0.06591, -0.09281, -0.02797, 0.0003333, 0] },
    // votes, distance, changes, goneChars, isImport, finder
    { asked: [7, 8, 18, 14, 35, 14, 0], above: [9, 64, 1, 0, 0, 5, Infinity], leaves: [-0.02871, 0.01388, -0.02879, 0.05374, 0.04296, 0.1007, 0.01826, 0] },
    // likeAfter, newestLines, oldest, removesLine, isRename, goneChars, isJustTyped
    { asked: [20, 38, 3, 16, 24, 14, 40], above: [0.4615, 0, 0, 0, 0, 0, 1], leaves: [-0.07171, 0.0709, -0.05624, -0.002697, -0.05195, 0.009178, 0.04605, -0.05829] },
    // staysElsewhere, times, nowThere, isRename, wasDeclared, edits
    { asked: [30, 1, 1, 29, 24, 31, 37], above: [0, 3, 1, 3, 0, 0, 4], leaves: [0.005822, -0.03688, 0.01571, 0.09958, -0.07903, -0.02452, 0.01015, -0.0454] },
    // isPart, comeChars, votes, newestLines, isJustTyped, finder
    { asked: [25, 15, 7, 38, 40, 0, 0], above: [0, 2, 2, 0, 0, Infinity, Infinity], leaves: [0.04384, -0.03933, -0.01368, 0.02927, -0.0803, 0, -0.000963, 0] },
    // mayContinue, isJustTyped, sameRight, goneChars, nowThere, votes
    { asked: [41, 40, 40, 27, 14, 29, 7], above: [0, 1, 1, -1, 4, 1, 3], leaves: [0.01682, -0.03207, -0.03421, 0.07671, -0.0169, 0.07275, -0.0594, -0.1327] },
    // isBelow, isPassed, likeAbove, isComment, finder, distance, likeBefore
    { asked: [9, 10, 21, 34, 0, 8, 19], above: [0, 0, 0.8, 0, Infinity, 14, 0.9412], leaves: [0.006728, -0.04604, -0.1189, 0, 0.03021, -0.01126, 0.08818, 0.01094] },
    // oldLeft, goneChars, distance, isPart, finder
    { asked: [28, 14, 8, 25, 0, 0, 0], above: [28, 51, 43, 0, 1, Infinity, Infinity], leaves: [0.008924, -0.05888, 0.01407, -0.06188, -0.005348, 0, -0.08275, 0] },
    // places, otherWords, sameLeft, mayContinue, likeAfter, age, goneChars
    { asked: [4, 6, 26, 41, 20, 2, 14], above: [11, 4, 0, 0, 0.4, 0, 5], leaves: [0.01453, -0.02978, -0.06734, 0.02005, -0.06521, -0.007582, 0.06467, -0.03016] },
    // newestLines, nowThere, times, isComment, comeChars, nearerPlaces, finder
    { asked: [38, 29, 1, 34, 15, 5, 0], above: [4, 53, 1, 0, 1, 0, Infinity], leaves: [0.0102, -0.031, -0.07787, -0.0231, -0.02587, -0.06851, 0.01451, 0] },
    // votes, otherWords, isDangling, newLines, likeBefore, isJustTyped, finder
    { asked: [7, 6, 42, 13, 19, 40, 0], above: [9, 1, 0, 0, 0.5, 0, Infinity], leaves: [0.04141, -0.003591, -0.06379, 0.01944, -0.02097, 0.05407, 0.0846, 0] },
    // isBelow, isPassed, comeChars, times, finder, newestLines, oldLeft
    { asked: [9, 10, 15, 1, 0, 38, 28], above: [0, 0, 2, 2, Infinity, 0, 24], leaves: [-0.00534, 0.05232, -0.1172, 0, 0.03406, -0.03737, 0.0264, -0.04689] },
    // isPart, goneChars, likeAbove, nowThere, isDangling, finder
    { asked: [25, 14, 21, 29, 42, 0, 0], above: [0, 57, 0.1818, 4, 0, Infinity, Infinity], leaves: [0.01036, -0.02579, -0.06277, 0.01272, -0.07591, 0, -0.0001644, 0] },
    // staysElsewhere, times, mayContinue, likeAfter, goneChars, comeChars
    { asked: [30, 1, 1, 41, 20, 14, 15], above: [0, 3, 1, 0, 0.3077, 10, 11], leaves: [0.004451, -0.02997, -0.01744, 0.0726, -0.07208, -0.02345, 0.01725, -0.0315] },
    // distance, times, isComment, edits, isJustTyped, nowThere, likeBefore
    { asked: [8, 1, 34, 37, 40, 29, 19], above: [64, 1, 0, 1, 1, 4, 0.4545], leaves: [0.0148, -0.01184, 0.04728, -0.04355, 0.00002598, -0.04879, -0.08757, -0.02172] },
    // isPart, newestLines, nowThere, isJustTyped, distance, goneChars, finder
    { asked: [25, 38, 29, 40, 8, 14, 0], above: [0, 1, 1, 0, 50, 12, Infinity], leaves: [-0.007979, 0.02238, -0.0006397, -0.04273, -0.08903, -0.02994, 0.004148, 0] },
    // votes, isInsideWord, changes, goneChars, edits, finder
    { asked: [7, 39, 18, 14, 37, 14, 0], above: [9, 0, 1, 0, 2, 5, Infinity], leaves: [-0.0252, 0.004471, -0.09958, -0.02354, 0.02743, 0.08564, 0.00559, 0] },
    // likeAbove, goneChars, age, likeAfter, votes, comeChars
    { asked: [21, 14, 2, 20, 2, 7, 15], above: [0.8, 0, 0, 0.6, 0, 9, 9], leaves: [-0.081, -0.02219, 0.0123, -0.02066, -0.01454, 0.05856, 0.001608, 0.1294] },
    // nowThere, goneChars, comeChars, isPart, finder
    { asked: [29, 14, 15, 25, 0, 0, 0], above: [53, 51, 2, 0, 1, Infinity, Infinity], leaves: [0.006654, -0.05208, 0.01313, -0.05395, -0.07479, 0, -0.006764, 0] },
    // isBelow, isPassed, comeChars, isComment, finder, newestLines, distance
    { asked: [9, 10, 15, 34, 0, 38, 8], above: [0, 0, 2, 0, Infinity, 0, 5], leaves: [0.005502, -0.03775, -0.1151, 0, 0.03021, -0.03347, 0.0562, 0.01073] },
  ],
};
