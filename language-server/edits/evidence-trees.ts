// Written by `npm run tool -- fit-next-edit`. What is asked are numbers of evidenceNames.
import type { Trees } from './trees.ts';

// biome-ignore format: a tree is a line
export const evidenceTrees: Trees = {
  bias: -2.731,
  trees: [
    // likeBefore, places, isRename, goneChars, times, isJustTyped, likeAfter
    { asked: [17, 3, 19, 12, 1, 34, 18], above: [0.8485, 1, -1, 2, 1, 0, 0.8571], leaves: [-0.04904, 0.2255, -0.09098, 0.0008867, 0.3615, 0.8625, -0.08131, 0.09599] },
    // likeBefore, places, oldLeft, goneChars, times, likeAfter
    { asked: [17, 3, 23, 12, 1, 3, 18], above: [0.8, 1, 1, 7, 1, 7, 0.7692], leaves: [-0.01276, 0.2003, -0.08885, -0.00206, 0.3653, 0.01336, -0.09226, 0.03107] },
    // likeBefore, places, oldLeft, isRename, times, isJustTyped
    { asked: [17, 3, 23, 19, 1, 3, 34], above: [0.75, 1, 1, 0, 2, 11, 0], leaves: [0.00524, 0.2059, -0.08114, 0.04052, 0.2367, -0.07735, -0.04869, 0.06313] },
    // likeBefore, places, goneChars, newestLines, times
    { asked: [17, 3, 3, 12, 3, 32, 1], above: [0.6, 1, 4, 7, 5, 2, 1], leaves: [-0.03739, 0.1201, -0.03619, -0.09509, 0.1974, 0.01567, -0.04493, 0.1057] },
    // likeBefore, places, staysElsewhere, isRename, sameLeft, isJustTyped, times
    { asked: [17, 3, 25, 19, 21, 34, 1], above: [0.5714, 5, 0, 0, 0, 0, 2], leaves: [-0.05047, 0.08908, -0.09861, 0.01162, 0.04339, 0.1764, -0.09022, -0.007644] },
    // places, goneChars, times, likeBefore, staysElsewhere, likeAfter, sameLeft
    { asked: [3, 12, 1, 17, 25, 18, 21], above: [5, 2, 1, 0.8, 0, 0.6957, -1], leaves: [-0.06722, 0.01771, 0.1262, -0.08488, -0.1021, -0.05663, 0.173, -0.03105] },
    // likeBefore, places, staysElsewhere, goneChars, sameLeft
    { asked: [17, 3, 25, 12, 21, 12, 12], above: [0.5714, 5, 0, 7, 0, 1, 16], leaves: [-0.05199, 0.05322, -0.09294, 0.01877, -0.01264, 0.1073, -0.08468, -0.005317] },
    // places, goneChars, times, isBelow, isPart, nearerPlaces, likeAfter
    { asked: [3, 12, 1, 7, 20, 4, 18], above: [7, 2, 1, 0, 0, 0, 0.6316], leaves: [-0.07293, -0.005194, 0.08625, -0.09848, -0.04293, -0.09616, -0.05451, 0.06556] },
    // staysElsewhere, goneChars, likeBefore, isJustTyped, times, generator
    { asked: [25, 12, 17, 17, 34, 1, 0], above: [0, 1, 0.9091, 0.5714, 0, 1, Infinity], leaves: [-0.07177, -0.007109, 0.001711, 0.1047, -0.1086, -0.07173, -0.01968, 0] },
    // oldLeft, likeBefore, times, otherWords, isPart, isJustTyped, places
    { asked: [23, 17, 1, 5, 20, 34, 3], above: [2, 0.06897, 1, 0, 0, 1, 11], leaves: [0.01405, -0.09356, 0.07505, -0.08307, -0.086, -0.01259, 0.06158, -0.04846] },
    // staysElsewhere, goneChars, sameRight, likeBefore, isPart, generator, likeAfter
    { asked: [25, 12, 22, 17, 20, 0, 18], above: [0, 1, 0, 0.5714, 0, Infinity, 0.7692], leaves: [-0.06482, -0.009903, 0.05732, -0.09115, -0.1011, 0, -0.06892, 0.02321] },
    // oldLeft, isJustTyped, times, staysElsewhere, goneChars, likeAfter, sameRight
    { asked: [23, 34, 1, 25, 12, 18, 22], above: [10, 0, 1, -1, 0, 0.6957, 0], leaves: [0.01216, -0.06336, -0.03452, 0.08426, -0.1046, -0.03876, -0.05184, 0.06229] },
    // places, times, sameLeft, newestLines, isPart, likeAfter, isRename
    { asked: [3, 1, 21, 32, 20, 18, 19], above: [11, 1, 0, 1, 0, 0.9375, 0], leaves: [0.02329, -0.05093, 0.113, -0.05171, -0.09526, -0.04989, -0.05833, 0.04305] },
    // staysElsewhere, times, nearerPlaces, oldLeft, likeBefore, places
    { asked: [25, 1, 1, 4, 23, 17, 3], above: [0, 1, 2, 0, 6, 0.8, 13], leaves: [0.02782, -0.04313, 0.1103, 0.01, -0.09911, -0.04556, 0.01185, -0.06068] },
    // staysElsewhere, newestLines, sameRight, goneChars, distance, generator, likeAfter
    { asked: [25, 32, 22, 12, 6, 0, 18], above: [0, 1, 0, 1, 27, Infinity, 0.7692], leaves: [-0.02959, 0.05422, 0.004165, -0.06404, -0.09344, 0, -0.05935, 0.02505] },
    // oldLeft, isJustTyped, likeAfter, generator, isPart, times, comeChars
    { asked: [23, 34, 18, 0, 20, 1, 13], above: [10, 0, 0.6957, 0, 0, 3, 15], leaves: [-0.05831, 0.008177, 0.05959, -0.08665, -0.08929, 0.01915, 0.01998, -0.061] },
    // places, newestLines, sameRight, isJustTyped, oldLeft, times
    { asked: [3, 32, 22, 34, 23, 1, 34], above: [11, 2, 0, 0, 1, 1, 0], leaves: [-0.008539, 0.05454, -0.02566, -0.0694, -0.08919, -0.04519, -0.04046, 0.04564] },
    // staysElsewhere, times, nearerPlaces, likeBefore
    { asked: [25, 1, 1, 4, 17, 17, 4], above: [0, 1, 2, 0, 0.3333, 0.4348, 3], leaves: [0.01802, -0.03831, -0.02758, 0.0806, -0.1008, -0.06024, 0.02039, -0.04452] },
    // oldLeft, isPart, times, isRename, likeAfter, sameRight
    { asked: [23, 20, 1, 19, 1, 18, 22], above: [10, 0, 1, 0, 2, 0.6957, 0], leaves: [-0.0001276, 0.08571, -0.09681, -0.03674, -0.09364, -0.02418, -0.0389, 0.04937] },
    // newestLines, isPart, distance, isRename, generator, comeChars, times
    { asked: [32, 20, 6, 19, 0, 13, 1], above: [1, 0, 49, 0, Infinity, 21, 2], leaves: [0.006433, 0.08439, -0.0949, 0, 0.002319, -0.06649, -0.07682, 0.005028] },
    // likeBefore, oldLeft, likeAfter, otherWords, sameLeft, newestLines, comeChars
    { asked: [17, 23, 18, 5, 21, 32, 13], above: [0.4737, 4, 0.4762, 0, 0, 0, 48], leaves: [0.01162, -0.08486, -0.07624, 0.01713, 0.06042, -0.09496, 0.04031, -0.09025] },
    // staysElsewhere, goneChars, times, isBelow, likeAfter
    { asked: [25, 12, 1, 7, 1, 12, 18], above: [0, 5, 1, 0, 3, 13, 0.6957], leaves: [-0.0475, 0.001671, 0.01866, 0.1375, -0.09511, -0.03718, -0.05257, 0.0182] },
    // places, isPart, sameLeft, isRename, times, nearerPlaces
    { asked: [3, 20, 21, 19, 1, 4, 3], above: [11, 0, 0, 0, 2, 2, 18], leaves: [-0.001209, 0.05773, -0.09796, -0.01724, -0.02667, -0.07983, -0.04591, 0.06113] },
    // oldLeft, comeChars, isRename, places, changes, likeBefore, isJustTyped
    { asked: [23, 13, 19, 3, 16, 17, 34], above: [2, 30, 0, 7, 2, 0.5455, 0], leaves: [0.03561, -0.04624, -0.02503, -0.08991, -0.08507, -0.02807, -0.06255, 0.03893] },
    // staysElsewhere, newestLines, times, isPart, goneChars, edits
    { asked: [25, 32, 1, 20, 1, 12, 31], above: [0, 4, 1, 0, 1, 13, 4], leaves: [0.01706, -0.07379, -0.07003, 0.01549, -0.09092, -0.03236, 0.007012, -0.06034] },
    // likeBefore, goneChars, newLines, isRename, nearerPlaces, likeAfter, changes
    { asked: [17, 12, 11, 19, 4, 18, 16], above: [0.4348, 21, 1, 0, 0, 0.439, 2], leaves: [-0.06007, -0.008607, 0.05952, -0.03357, -0.03739, 0.03359, -0.01908, -0.09178] },
    // isPart, nowThere, times, generator
    { asked: [20, 24, 24, 1, 1, 0, 0], above: [0, 4, 1, 1, 2, Infinity, Infinity], leaves: [0.003208, 0.07158, -0.05294, 0.02854, -0.09245, 0, -0.04281, 0] },
    // newestLines, isJustTyped, distance, oldLeft, isPart, isBelow
    { asked: [32, 34, 6, 23, 20, 7, 23], above: [1, 0, 49, -1, 0, 0, 0], leaves: [0.01853, -0.05458, 0.04175, -0.0766, -0.04324, 0.01284, -0.03223, -0.08263] },
    // staysElsewhere, times, likeBefore, distance, goneChars, generator, isBelow
    { asked: [25, 1, 17, 6, 12, 0, 7], above: [0, 3, 0.381, 49, 3, Infinity, 0], leaves: [0.01485, -0.02356, 0.005811, 0.1068, -0.08758, 0, -0.06377, -0.001419] },
    // isPart, goneChars, nowThere, isRename, newLines, generator
    { asked: [20, 12, 24, 19, 11, 0, 0], above: [0, 5, 1, 0, 1, Infinity, Infinity], leaves: [-0.03234, 0.0269, 0.02809, -0.0564, -0.08698, 0, -0.03574, 0] },
    // isBelow, isPassed, oldLeft, times, generator
    { asked: [7, 8, 23, 1, 0, 0, 23], above: [0, 0, 10, 2, Infinity, 3, 29], leaves: [-0.00942, 0.06643, -0.1259, 0, 0.0327, -0.08215, -0.01922, -0.07358] },
    // nowThere, isPart, likeAfter, isRename, edits, times
    { asked: [24, 20, 18, 19, 24, 31, 1], above: [4, 0, 0.3429, 0, 0, 1, 1], leaves: [-0.00002877, 0.05295, -0.08535, -0.01268, -0.02922, -0.08791, -0.03889, 0.01244] },
    // newestLines, likeAfter, times, age, isImport, places, generator
    { asked: [32, 18, 1, 2, 29, 3, 0], above: [4, 0.5806, 1, 0, 0, 2, Infinity], leaves: [0.00254, -0.05257, 0.02547, -0.08509, -0.03396, -0.0846, 0.004918, 0] },
    // places, isBelow, sameRight, isPassed, distance, edits, likeAfter
    { asked: [3, 7, 22, 8, 6, 31, 18], above: [11, 0, 0, 0, 49, 1, 0.6957], leaves: [0.003071, -0.1239, 0.03596, -0.0115, -0.08556, -0.03851, -0.01612, 0.03534] },
    // newestLines, isJustTyped, oldLeft, nowThere, mayContinue, comeChars, distance
    { asked: [32, 34, 23, 24, 35, 13, 6], above: [1, 0, 1, -1, 0, 21, 8], leaves: [0.01438, -0.04861, 0.04325, -0.01929, 0.0195, -0.0473, -0.001484, -0.06041] },
    // times, oldLeft, isJustTyped, places, distance, mayContinue
    { asked: [1, 23, 34, 3, 6, 34, 35], above: [1, 2, 1, 7, 8, 0, 0], leaves: [0.007115, -0.05479, 0.01437, -0.0524, 0.004735, 0.06271, 0.01632, -0.1033] },
    // isPart, goneChars, oldLeft, isRename, mayContinue, likeAfter, generator
    { asked: [20, 12, 23, 19, 35, 18, 0], above: [0, 5, 1, 0, 0, 0.2295, Infinity], leaves: [-0.02723, 0.02458, 0.02505, -0.04074, -0.07136, 0.002042, -0.08845, 0] },
    // likeAfter, goneChars, comeChars, isRename, newestLines, changes
    { asked: [18, 12, 13, 19, 32, 12, 16], above: [0.4762, 24, 30, 0, 0, 1, 2], leaves: [-0.06951, -0.00218, 0.07463, -0.02294, -0.01364, 0.03297, -0.01849, -0.07748] },
    // isPart, times, oldLeft, nowThere, isJustTyped, likeAfter, generator
    { asked: [20, 1, 23, 24, 34, 18, 0], above: [0, 1, 1, 1, 1, 0.2295, Infinity], leaves: [0.004723, -0.03522, 0.03789, -0.05283, -0.06858, 0.001154, -0.08582, 0] },
    // isBelow, isPassed, distance, times, generator, likeAfter
    { asked: [7, 8, 6, 1, 0, 0, 18], above: [0, 0, 49, 2, Infinity, 3, 0.2105], leaves: [-0.007647, 0.04818, -0.1217, 0, 0.032, -0.0612, -0.07053, -0.003459] },
    // isDeclared, isBelow, isRename, isPassed, generator, likeAfter, isComment
    { asked: [27, 7, 19, 8, 0, 18, 28], above: [0, 0, 0, 0, 3, 0.6957, 0], leaves: [0.002897, -0.119, 0.02037, -0.07508, -0.09086, -0.005561, 0.002838, -0.07436] },
    // isPart, changes, nowThere, goneChars, isString, generator
    { asked: [20, 16, 24, 12, 30, 12, 0], above: [0, 1, 1, 5, 0, 16, Infinity], leaves: [-0.01231, 0.02494, -0.04329, 0.0062, -0.08868, -0.02779, -0.02087, 0] },
    // oldLeft, isBelow, times, isPassed, generator
    { asked: [23, 7, 1, 8, 0, 23, 0], above: [27, 0, 2, 0, 3, 32, Infinity], leaves: [-0.0006679, -0.1172, 0.0176, -0.07196, -0.01141, -0.08037, 0.002373, 0] },
    // distance, generator, newestLines, changes, age, likeAfter, oldLeft
    { asked: [6, 0, 32, 16, 2, 18, 23], above: [49, 1, 1, 1, 0, 0.4231, 0], leaves: [0.0289, -0.02433, -0.06123, 0.0294, -0.0317, 0.009288, -0.02051, -0.07026] },
    // nowThere, isPart, likeAfter, isRename, edits, isJustTyped
    { asked: [24, 20, 18, 19, 24, 31, 34], above: [4, 0, 0.3429, 0, 0, 1, 1], leaves: [-0.001286, 0.0375, -0.07492, 0.002067, -0.01472, -0.07872, -0.004062, -0.07588] },
    // isDeclared, newestLines, isRename, comeChars, places, likeAfter, changes
    { asked: [27, 32, 19, 13, 3, 18, 16], above: [0, 4, 0, 2, 5, 0.6957, 1], leaves: [-0.01225, 0.01536, -0.01944, -0.06757, -0.08698, -0.00467, 0.001175, -0.06891] },
    // isPart, newLines, oldLeft, goneChars, changes, likeAfter, generator
    { asked: [20, 11, 23, 12, 16, 18, 0], above: [0, 1, 1, 7, 2, 0.2295, Infinity], leaves: [-0.009221, 0.01842, -0.01792, -0.06292, -0.06172, 0.008021, -0.07926, 0] },
    // times, places, edits, likeAfter, distance, goneChars, generator
    { asked: [1, 3, 31, 18, 6, 12, 0], above: [3, 1, 5, 0.7692, 49, 7, Infinity], leaves: [-0.004964, 0.03459, -0.001481, -0.03376, 0.02033, 0.09515, -0.0144, 0] },
    // isDeclared, oldLeft, isRename, isBelow, sameRight, likeAfter, isComment
    { asked: [27, 23, 19, 7, 22, 18, 28], above: [0, 29, 0, 0, 0, 0.6957, 0], leaves: [-0.008624, 0.01605, -0.06708, 0.004656, -0.08333, -0.004429, 0.002474, -0.0692] },
    // isPart, isJustTyped, nowThere, oldLeft, isRename, goneChars, generator
    { asked: [20, 34, 24, 23, 19, 12, 0], above: [0, 0, 1, -1, 0, 16, Infinity], leaves: [0.006295, -0.03628, -0.006937, 0.04459, -0.08249, -0.01993, -0.01389, 0] },
    // times, places, isJustTyped, nowThere, isImport, changes, mayContinue
    { asked: [1, 3, 34, 24, 29, 16, 35], above: [1, 1, 1, 1, 0, 1, 0], leaves: [0.01703, -0.03482, -0.01496, -0.0923, 0.03715, -0.01233, 0.01389, -0.09695] },
    // likeAfter, edits, isImport, newestLines, goneChars, changes, generator
    { asked: [18, 31, 29, 32, 12, 16, 0], above: [0.3913, 1, 0, 2, 24, 1, Infinity], leaves: [0.02079, -0.05262, -0.05322, 0.01062, 0.01758, -0.01693, -0.0761, 0] },
    // isDeclared, comeChars, distance, newestLines, likeBefore, goneChars
    { asked: [27, 13, 6, 32, 13, 17, 12], above: [0, 2, 7, 0, 30, 0.3077, 8], leaves: [0.03303, -0.0329, 0.01785, -0.02586, -0.03319, 0.04067, -0.06159, -0.01564] },
    // mayContinue, isJustTyped, generator, comeChars, likeAfter, isString
    { asked: [35, 34, 34, 0, 13, 18, 30], above: [0, 0, 1, 0, 1, 0.1739, 0], leaves: [-0.034, 0.004862, -0.04262, 0.03117, -0.06079, 0.03672, -0.1025, -0.03065] },
    // isPart, newestLines, oldLeft, isJustTyped, distance, places, generator
    { asked: [20, 32, 23, 34, 6, 3, 0], above: [0, 1, 1, 0, 49, 3, Infinity], leaves: [-0.008519, 0.02001, -0.003607, -0.04002, -0.0489, 0.01277, -0.07388, 0] },
    // nearerPlaces, mayContinue, sameLeft, goneChars, isJustTyped, places, generator
    { asked: [4, 35, 21, 12, 34, 3, 0], above: [7, 0, 0, 6, 1, 15, Infinity], leaves: [-0.01072, 0.01795, 0.01773, -0.0803, -0.01681, -0.07475, 0.0221, 0] },
    // changes, likeAfter, comeChars, isRename, isImport, age, generator
    { asked: [16, 18, 13, 19, 29, 2, 0], above: [2, 0.5, 48, 0, 0, 0, Infinity], leaves: [-0.03096, 0.01106, 0.01421, -0.07202, -0.04238, 0.01908, -0.07092, 0] },
    // isPart, times, nowThere, oldLeft, isJustTyped, goneChars, generator
    { asked: [20, 1, 24, 23, 34, 12, 0], above: [0, 1, 1, 22, 1, 16, Infinity], leaves: [-0.002069, -0.06053, 0.0256, -0.04825, -0.07844, -0.01653, -0.009179, 0] },
    // distance, changes, goneChars, generator, isBelow, likeAfter, places
    { asked: [6, 16, 12, 0, 7, 18, 3], above: [30, 1, 8, 1, 0, 0.4, 9], leaves: [0.02881, -0.03108, -0.04531, -0.01528, -0.0577, -0.01597, 0.01335, -0.04718] },
    // isDeclared, distance, places, generator, isString, likeBefore, nowThere
    { asked: [27, 6, 3, 0, 30, 17, 24], above: [0, 49, 3, 1, 0, 0.4545, 6], leaves: [0.01619, -0.02449, -0.01928, 0.01926, -0.03322, 0.02083, -0.03197, -0.0721] },
    // age, newestLines, likeAfter, mayContinue, places, generator, comeChars
    { asked: [2, 32, 18, 35, 3, 0, 13], above: [2, 4, 0.6316, 0, 5, Infinity, 21], leaves: [0.009259, -0.01999, -0.01502, -0.06987, -0.07322, 0, 0.01972, -0.04216] },
    // times, isPart, edits, nowThere, goneChars, generator
    { asked: [1, 20, 31, 24, 24, 12, 0], above: [3, 0, 5, 3, 0, 6, Infinity], leaves: [0.004062, -0.02244, -0.07429, -0.02183, 0.008338, 0.07758, -0.01666, 0] },
    // changes, age, comeChars, goneChars, likeAfter, generator
    { asked: [16, 2, 13, 12, 18, 2, 0], above: [2, 2, 48, 7, 0.6316, 0, Infinity], leaves: [-0.006378, 0.01349, -0.06804, -0.008569, -0.03817, 0.01857, -0.06625, 0] },
    // isDeclared, comeChars, newestLines, isImport, generator
    { asked: [27, 13, 13, 32, 29, 13, 0], above: [0, 2, 21, 0, 0, 6, Infinity], leaves: [0.02816, -0.02743, 0.01146, -0.05933, -0.04854, 0.00666, -0.06774, 0] },
    // oldLeft, times, sameRight, isPart, edits, distance, generator
    { asked: [23, 1, 22, 20, 31, 6, 0], above: [32, 3, 0, 0, 5, 39, Infinity], leaves: [0.0003305, -0.05693, 0.0512, -0.009777, -0.02, -0.07445, 0.008436, 0] },
    // changes, likeAfter, comeChars, likeBefore, age, generator
    { asked: [16, 18, 13, 17, 2, 2, 0], above: [2, 0.9, 56, 0.9091, 0, 0, Infinity], leaves: [0.003056, -0.0482, -0.003733, 0.04848, -0.0378, 0.01637, -0.06763, 0] },
    // staysElsewhere, isRename, isPart, likeBefore, oldLeft
    { asked: [25, 19, 19, 20, 17, 17, 23], above: [0, 0, 0, -1, 0.9091, 0.381, 12], leaves: [0.004755, -0.03188, 0.03053, -0.09807, -0.06189, 0.03037, -0.06466, -0.01691] },
    // age, isInsideWord, likeBefore, newestLines, edits, generator, places
    { asked: [2, 33, 17, 32, 31, 0, 3], above: [2, 0, 0.6316, 4, 2, Infinity, 2], leaves: [0.005466, -0.03044, -0.08552, -0.004639, -0.0639, 0, 0.01703, -0.03765] },
    // distance, isBelow, isImport, isPassed, generator, likeAfter
    { asked: [6, 7, 29, 8, 0, 18, 0], above: [138, 0, 0, 0, 3, 0.2105, Infinity], leaves: [0.003243, -0.1133, 0.01443, -0.05577, -0.06102, -0.01498, 0.04315, 0] },
    // isDeclared, goneChars, distance, isJustTyped, generator, isRename
    { asked: [27, 12, 6, 12, 34, 0, 19], above: [0, 54, 4, 21, 0, Infinity, 0], leaves: [-0.001156, 0.02769, -0.007696, -0.08782, 0.02251, 0, -0.06573, -0.01548] },
    // isPart, changes, oldLeft, distance, isString, places, generator
    { asked: [20, 16, 23, 6, 30, 3, 0], above: [0, 1, 1, 30, 0, 3, Infinity], leaves: [0.01687, -0.007412, -0.03334, 0.01215, -0.04223, 0.01894, -0.06585, 0] },
    // times, staysElsewhere, distance, newestLines, goneChars, edits, likeAfter
    { asked: [1, 25, 6, 32, 12, 31, 18], above: [1, 0, 20, 4, 13, 2, 0.4231], leaves: [-0.0001, -0.03618, -0.06155, 0.01522, 0.08238, 0.01126, -0.03491, 0.01541] },
    // mayContinue, isJustTyped, isDeclared, isRename, nowThere, isString
    { asked: [35, 34, 34, 27, 19, 24, 30], above: [0, 1, 1, -1, 0, 1, 0], leaves: [0.0116, -0.01943, -0.01382, 0.08582, -0.01094, 0.05347, -0.09177, -0.02085] },
    // isComment, isJustTyped, goneChars, edits, isRename, distance
    { asked: [28, 34, 12, 31, 19, 34, 6], above: [0, 0, 9, 1, 0, 0, 45], leaves: [-0.03574, 0.004237, -0.00508, 0.03271, -0.01068, -0.06895, 0.04452, -0.03252] },
    // isPart, newLines, nowThere, likeAfter, likeBefore, goneChars, generator
    { asked: [20, 11, 24, 18, 17, 12, 0], above: [0, 1, 1, 0.9, 0.6, 12, Infinity], leaves: [-0.002642, 0.01567, -0.009644, -0.04947, -0.07752, -0.01651, -0.003638, 0] },
    // nearerPlaces, mayContinue, goneChars, isJustTyped, generator
    { asked: [4, 35, 12, 34, 34, 0, 0], above: [10, 0, 2, 1, 1, Infinity, Infinity], leaves: [-0.0007738, 0.03048, 0.01556, -0.06965, -0.01557, 0, -0.05616, 0] },
    // distance, isBelow, nowThere, goneChars, isDeclared
    { asked: [6, 7, 6, 24, 12, 7, 27], above: [2, 0, 5, 0, 13, 0, 0], leaves: [-0.08795, -0.0271, 0.02122, -0.04715, -0.01575, 0.05213, 0.001194, -0.02925] },
    // times, isPart, places, comeChars, nowThere, oldLeft
    { asked: [1, 20, 3, 13, 24, 24, 23], above: [3, 0, 7, 30, 0, 7, 9], leaves: [0.001954, -0.02455, -0.06698, -0.01393, 0.08173, -0.03037, -0.04657, 0.0439] },
    // oldLeft, distance, sameRight, isBelow, likeBefore, generator
    { asked: [23, 6, 22, 7, 17, 6, 0], above: [32, 2, 0, 0, 0.8, 42, Infinity], leaves: [-0.06586, -0.002727, 0.0104, -0.006807, -0.01853, -0.06944, 0.01171, 0] },
    // likeAfter, goneChars, isImport, edits, likeBefore, distance
    { asked: [18, 12, 29, 31, 17, 6, 17], above: [0.2783, 18, 0, 1, 0.2162, 20, 0.3333], leaves: [-0.004257, -0.05676, 0.06034, -0.01649, 0.01654, -0.001636, -0.08201, -0.02516] },
  ],
};
