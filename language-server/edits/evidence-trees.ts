// Written by `npm run tool -- fit-next-edit`. What is asked are numbers of evidenceNames.
import type { Trees } from './trees.ts';

// biome-ignore format: a tree is a line
export const evidenceTrees: Trees = {
  bias: -2.731,
  trees: [
    // likeBefore, places, isRename, goneChars, times, isJustTyped, likeAfter
    { asked: [17, 3, 19, 12, 1, 35, 18], above: [0.8485, 1, -1, 2, 1, 0, 0.8571], leaves: [-0.04904, 0.2255, -0.09098, 0.0008867, 0.3615, 0.8625, -0.08131, 0.09599] },
    // likeBefore, places, oldLeft, goneChars, times, likeAfter
    { asked: [17, 3, 23, 12, 1, 3, 18], above: [0.8, 1, 1, 7, 1, 7, 0.7692], leaves: [-0.01276, 0.2003, -0.08885, -0.00206, 0.3653, 0.01336, -0.09226, 0.03107] },
    // likeBefore, places, oldLeft, isRename, times, isJustTyped
    { asked: [17, 3, 23, 19, 1, 3, 35], above: [0.75, 1, 1, 0, 2, 11, 0], leaves: [0.00524, 0.2059, -0.08114, 0.04052, 0.2367, -0.07735, -0.04869, 0.06313] },
    // likeBefore, places, goneChars, newestLines, times
    { asked: [17, 3, 3, 12, 3, 33, 1], above: [0.6, 1, 4, 7, 5, 2, 1], leaves: [-0.03739, 0.1201, -0.03619, -0.09509, 0.1974, 0.01567, -0.04493, 0.1057] },
    // likeBefore, places, staysElsewhere, isRename, sameLeft, isJustTyped, times
    { asked: [17, 3, 25, 19, 21, 35, 1], above: [0.5714, 5, 0, 0, 0, 0, 2], leaves: [-0.05047, 0.08908, -0.09861, 0.01162, 0.04339, 0.1764, -0.09022, -0.007644] },
    // places, goneChars, times, likeBefore, staysElsewhere, likeAfter, sameLeft
    { asked: [3, 12, 1, 17, 25, 18, 21], above: [5, 2, 1, 0.8, 0, 0.6957, -1], leaves: [-0.06722, 0.01771, 0.1262, -0.08488, -0.1021, -0.05663, 0.173, -0.03105] },
    // likeBefore, places, staysElsewhere, goneChars, sameLeft
    { asked: [17, 3, 25, 12, 21, 12, 12], above: [0.5714, 5, 0, 7, 0, 1, 16], leaves: [-0.05199, 0.05322, -0.09294, 0.01877, -0.01264, 0.1073, -0.08468, -0.005317] },
    // places, goneChars, times, isBelow, isPart, nearerPlaces, likeAfter
    { asked: [3, 12, 1, 7, 20, 4, 18], above: [7, 2, 1, 0, 0, 0, 0.6316], leaves: [-0.07293, -0.005194, 0.08625, -0.09848, -0.04293, -0.09616, -0.05451, 0.06556] },
    // staysElsewhere, goneChars, likeBefore, isJustTyped, times, generator
    { asked: [25, 12, 17, 17, 35, 1, 0], above: [0, 1, 0.9091, 0.5714, 0, 1, Infinity], leaves: [-0.07177, -0.007109, 0.001711, 0.1047, -0.1086, -0.07173, -0.01968, 0] },
    // oldLeft, likeBefore, times, otherWords, isPart, isJustTyped, places
    { asked: [23, 17, 1, 5, 20, 35, 3], above: [2, 0.06897, 1, 0, 0, 1, 11], leaves: [0.01405, -0.09356, 0.07505, -0.08307, -0.086, -0.01259, 0.06158, -0.04846] },
    // staysElsewhere, goneChars, sameRight, likeBefore, isPart, generator, likeAfter
    { asked: [25, 12, 22, 17, 20, 0, 18], above: [0, 1, 0, 0.5714, 0, Infinity, 0.7692], leaves: [-0.06482, -0.009903, 0.05732, -0.09115, -0.1011, 0, -0.06892, 0.02321] },
    // oldLeft, isJustTyped, times, staysElsewhere, goneChars, likeAfter, sameRight
    { asked: [23, 35, 1, 25, 12, 18, 22], above: [10, 0, 1, -1, 0, 0.6957, 0], leaves: [0.01216, -0.06336, -0.03452, 0.08426, -0.1046, -0.03876, -0.05184, 0.06229] },
    // places, times, sameLeft, newestLines, isPart, likeAfter, isRename
    { asked: [3, 1, 21, 33, 20, 18, 19], above: [11, 1, 0, 1, 0, 0.9375, 0], leaves: [0.02329, -0.05093, 0.113, -0.05171, -0.09526, -0.04989, -0.05833, 0.04305] },
    // staysElsewhere, times, nearerPlaces, oldLeft, likeBefore, places
    { asked: [25, 1, 1, 4, 23, 17, 3], above: [0, 1, 2, 0, 6, 0.8, 13], leaves: [0.02782, -0.04313, 0.1103, 0.01, -0.09911, -0.04556, 0.01185, -0.06068] },
    // staysElsewhere, newestLines, sameRight, goneChars, distance, generator, likeAfter
    { asked: [25, 33, 22, 12, 6, 0, 18], above: [0, 1, 0, 1, 27, Infinity, 0.7692], leaves: [-0.02959, 0.05422, 0.004165, -0.06404, -0.09344, 0, -0.05935, 0.02505] },
    // oldLeft, isJustTyped, likeAfter, isUndeclared, isPart, times, comeChars
    { asked: [23, 35, 18, 28, 20, 1, 13], above: [10, 0, 0.6957, -1, 0, 3, 15], leaves: [0.008177, -0.05831, 0.05959, -0.08665, -0.08929, 0.01915, 0.01998, -0.061] },
    // places, newestLines, sameRight, isJustTyped, oldLeft, times
    { asked: [3, 33, 22, 35, 23, 1, 35], above: [11, 2, 0, 0, 1, 1, 0], leaves: [-0.008539, 0.05454, -0.02566, -0.0694, -0.08919, -0.04519, -0.04046, 0.04564] },
    // staysElsewhere, times, nearerPlaces, likeBefore, isDeclared
    { asked: [25, 1, 1, 4, 17, 27, 4], above: [0, 1, 2, 0, 0.3333, 0, 3], leaves: [0.01802, -0.03831, -0.02758, 0.0806, -0.09409, -0.04123, 0.02039, -0.04452] },
    // oldLeft, isPart, times, isRename, likeAfter, sameRight
    { asked: [23, 20, 1, 19, 1, 18, 22], above: [10, 0, 1, 0, 2, 0.6957, 0], leaves: [-0.0001169, 0.08573, -0.09677, -0.03674, -0.09368, -0.02379, -0.03887, 0.04955] },
    // newestLines, isPart, distance, isRename, generator, comeChars, times
    { asked: [33, 20, 6, 19, 0, 13, 1], above: [1, 0, 49, 0, Infinity, 21, 2], leaves: [0.006429, 0.0844, -0.09488, 0, 0.002385, -0.06648, -0.07682, 0.005025] },
    // likeBefore, oldLeft, likeAfter, otherWords, sameLeft, newestLines, comeChars
    { asked: [17, 23, 18, 5, 21, 33, 13], above: [0.4737, 4, 0.4762, 0, 0, 0, 48], leaves: [0.01152, -0.08486, -0.07641, 0.01686, 0.06047, -0.09489, 0.04053, -0.09022] },
    // staysElsewhere, goneChars, times, isBelow, likeAfter
    { asked: [25, 12, 1, 7, 1, 12, 18], above: [0, 5, 1, 0, 3, 13, 0.6957], leaves: [-0.04751, 0.001659, 0.01865, 0.1375, -0.09508, -0.03706, -0.05258, 0.01925] },
    // places, isPart, sameLeft, isRename, times, nearerPlaces
    { asked: [3, 20, 21, 19, 1, 4, 3], above: [11, 0, 0, 0, 2, 2, 18], leaves: [-0.001202, 0.05776, -0.09793, -0.01725, -0.02669, -0.07985, -0.04589, 0.0613] },
    // oldLeft, comeChars, isRename, places, changes, likeBefore, isJustTyped
    { asked: [23, 13, 19, 3, 16, 17, 35], above: [2, 30, 0, 7, 2, 0.5455, 0], leaves: [0.03561, -0.04623, -0.02501, -0.08992, -0.08516, -0.02783, -0.06253, 0.03895] },
    // newestLines, isPart, likeAfter, isJustTyped, generator, oldLeft, comeChars
    { asked: [33, 20, 18, 35, 0, 23, 13], above: [1, 0, 0.5806, 0, Infinity, 3, 21], leaves: [-0.01069, 0.0454, -0.08941, 0, -0.03519, -0.081, 0.02115, -0.05933] },
    // staysElsewhere, times, newestLines, distance, goneChars, edits
    { asked: [25, 1, 1, 33, 6, 12, 32], above: [0, 1, 1, 4, 61, 13, 4], leaves: [0.001501, -0.06797, 0.07016, 0.005881, -0.09019, -0.03004, 0.009316, -0.05901] },
    // nowThere, isPart, times, goneChars, distance, places
    { asked: [24, 20, 1, 12, 24, 6, 3], above: [4, 0, 2, 1, 0, 6, 11], leaves: [-0.02477, 0.03098, -0.09302, -0.02567, 0.005068, -0.06316, 0.03857, -0.04265] },
    // likeBefore, goneChars, newLines, isRename, likeAfter, changes
    { asked: [17, 12, 11, 19, 12, 18, 16], above: [0.4348, 21, 1, 0, 54, 0.439, 2], leaves: [-0.05779, -0.007552, 0.05537, -0.04658, -0.03755, 0.03186, -0.01849, -0.09145] },
    // isPart, nowThere, times, generator
    { asked: [20, 24, 24, 1, 1, 0, 0], above: [0, 4, 1, 1, 2, Infinity, Infinity], leaves: [0.002521, 0.06328, -0.04845, 0.02252, -0.08948, 0, -0.04047, 0] },
    // isBelow, isPassed, distance, times, generator, oldLeft, likeAfter
    { asked: [7, 8, 6, 1, 0, 23, 18], above: [0, 0, 49, 2, Infinity, 10, 0.5333], leaves: [-0.009656, 0.06384, -0.1262, 0, 0.04635, -0.03176, -0.05337, 0.005844] },
    // isPart, goneChars, oldLeft, isRename, mayContinue, likeBefore, generator
    { asked: [20, 12, 23, 19, 36, 17, 0], above: [0, 5, 1, 0, 0, 0.381, Infinity], leaves: [-0.03045, 0.0254, 0.02884, -0.04015, -0.06863, 0.003589, -0.09285, 0] },
    // newestLines, likeAfter, times, age, isImport, places, generator
    { asked: [33, 18, 1, 2, 30, 3, 0], above: [4, 0.5806, 1, 0, 0, 2, Infinity], leaves: [0.003121, -0.05346, 0.02594, -0.08381, -0.03586, -0.08503, 0.001908, 0] },
    // oldLeft, isBelow, isRename, isPassed, generator, sameRight, isJustTyped
    { asked: [23, 7, 19, 8, 0, 22, 35], above: [2, 0, 0, 0, 3, 0, 0], leaves: [0.008344, -0.1235, 0.03625, -0.08152, -0.06237, -0.0005554, -0.05381, 0.03087] },
    // isPart, newestLines, nowThere, isJustTyped, distance, generator
    { asked: [20, 33, 24, 35, 6, 0, 0], above: [0, 1, 1, 0, 49, Infinity, Infinity], leaves: [-0.009841, 0.0323, -0.005935, -0.05531, -0.08375, 0, -0.03207, 0] },
    // staysElsewhere, times, likeBefore, newLines, goneChars, generator, isBelow
    { asked: [25, 1, 17, 11, 12, 0, 7], above: [0, 3, 0.381, 1, 3, Infinity, 0], leaves: [0.004866, -0.04819, -0.000945, 0.09288, -0.08307, 0, -0.05737, 0.006855] },
    // places, isBelow, sameRight, isPassed, generator, edits, likeAfter
    { asked: [3, 7, 22, 8, 0, 32, 18], above: [11, 0, 0, 0, 3, 1, 0.6957], leaves: [0.002674, -0.1221, 0.02383, -0.07737, -0.08463, -0.03625, -0.01576, 0.03486] },
    // isPart, nowThere, oldLeft, isRename, likeAfter, generator
    { asked: [20, 24, 23, 19, 18, 18, 0], above: [0, 4, 1, 0, 0.3429, 0.2295, Infinity], leaves: [-0.000447, 0.0448, -0.06586, -0.01287, -0.07117, 0.0003029, -0.08753, 0] },
    // distance, isBelow, oldLeft, isPassed, generator, newestLines
    { asked: [6, 7, 23, 8, 0, 33, 0], above: [49, 0, 27, 0, 3, 1, Infinity], leaves: [0.006212, -0.1161, 0.03158, -0.05472, -0.002061, -0.04686, -0.08154, 0] },
    // isPart, times, nowThere, isJustTyped, goneChars, generator
    { asked: [20, 1, 24, 24, 35, 12, 0], above: [0, 1, 1, 1, 1, 16, Infinity], leaves: [0.00511, -0.03696, 0.03975, -0.06146, -0.08965, -0.03141, -0.02419, 0] },
    // newLines, goneChars, changes, likeAfter, mayContinue, nearerPlaces
    { asked: [11, 12, 16, 18, 36, 4, 18], above: [1, 7, 2, 0.2609, 0, 1, 0.5], leaves: [-0.06466, -0.005582, 0.02989, -0.04492, 0.001816, -0.05286, -0.03088, -0.08673] },
    // distance, changes, places, generator, isBelow, nowThere, times
    { asked: [6, 16, 3, 0, 7, 24, 1], above: [49, 1, 2, 1, 0, 4, 3], leaves: [0.03049, -0.03251, -0.05036, -0.01064, 0.01283, -0.04994, -0.04153, 0.03046] },
    // likeAfter, goneChars, isImport, isRename, newestLines, changes, generator
    { asked: [18, 12, 30, 19, 33, 16, 0], above: [0.4762, 24, 0, 0, 0, 1, Infinity], leaves: [-0.0666, -0.0009341, 0.07497, -0.02138, 0.02206, -0.01761, -0.07921, 0] },
    // isPart, goneChars, nowThere, isRename, mayContinue, generator
    { asked: [20, 12, 24, 19, 36, 12, 0], above: [0, 5, 1, 0, 0, 16, Infinity], leaves: [-0.02456, 0.02161, 0.02122, -0.03707, -0.08713, -0.02946, -0.02196, 0] },
    // oldLeft, isBelow, times, isPassed, generator
    { asked: [23, 7, 1, 8, 0, 23, 0], above: [27, 0, 2, 0, 3, 32, Infinity], leaves: [-0.0001361, -0.118, 0.01747, -0.06885, -0.01054, -0.0794, 0.003929, 0] },
    // isPart, isJustTyped, oldLeft, generator, isRename, likeAfter
    { asked: [20, 35, 23, 0, 19, 18, 0], above: [0, 0, 1, 0, 0, 0.2295, Infinity], leaves: [-0.04129, 0.00897, -0.005563, 0.04688, -0.06455, 0.007258, -0.08048, 0] },
    // likeAfter, goneChars, isImport, edits, newestLines, changes, likeBefore
    { asked: [18, 12, 30, 32, 33, 16, 17], above: [0.3913, 18, 0, 1, 0, 1, 0.4], leaves: [0.002444, -0.05868, 0.05701, -0.02297, 0.01872, -0.01768, -0.08559, -0.0292] },
    // distance, changes, goneChars, generator, isBelow, likeAfter, places
    { asked: [6, 16, 12, 0, 7, 18, 3], above: [30, 1, 8, 1, 0, 0.4, 9], leaves: [0.03216, -0.03081, -0.04765, -0.01427, -0.06371, -0.01772, 0.0131, -0.04975] },
    // newestLines, likeAfter, times, isRename, age, places, generator
    { asked: [33, 18, 1, 19, 2, 3, 0], above: [4, 0.9, 1, 0, 0, 2, Infinity], leaves: [-0.02048, 0.01406, 0.002042, 0.04978, -0.02153, -0.07408, 0.01223, 0] },
    // times, isPart, edits, nowThere, isJustTyped, wasDeclared, generator
    { asked: [1, 20, 32, 24, 35, 26, 0], above: [3, 0, 5, 3, 1, 0, Infinity], leaves: [0.00525, -0.02656, -0.07952, -0.02102, 0.08633, -0.000495, -0.01359, 0] },
    // changes, goneChars, comeChars, isComment, mayContinue, age, generator
    { asked: [16, 12, 13, 29, 36, 2, 0], above: [2, 7, 48, 0, 0, 0, Infinity], leaves: [-0.004655, -0.05863, 0.0238, -0.03944, -0.04295, 0.0157, -0.07587, 0] },
    // isJustTyped, sameRight, comeChars, places, nowThere, isImport
    { asked: [35, 22, 13, 3, 24, 30, 13], above: [0, -1, 1, 8, 86, 0, 28], leaves: [0.01495, -0.05971, -0.04717, 0.01079, -0.0572, 0.01783, 0.02741, -0.04394] },
    // distance, isBelow, oldLeft, isPassed, isPart, newestLines, generator
    { asked: [6, 7, 23, 8, 20, 33, 0], above: [49, 0, 27, 0, 0, 1, Infinity], leaves: [0.004736, -0.1103, 0.02242, -0.05397, -0.00125, -0.03763, -0.06949, 0] },
    // times, places, isJustTyped, likeAfter, isRename, mayContinue
    { asked: [1, 3, 35, 18, 19, 35, 36], above: [1, 1, 1, 0.7692, 0, 0, 0], leaves: [-0.01048, 0.03165, -0.02937, 0.005689, 0.0008364, 0.04751, 0.008983, -0.1024] },
    // isPart, newLines, nowThere, comeChars, changes, goneChars, generator
    { asked: [20, 11, 24, 13, 16, 12, 0], above: [0, 1, 1, 2, 2, 16, Infinity], leaves: [-0.01436, 0.01234, -0.0123, -0.05785, -0.08043, -0.021, -0.01088, 0] },
    // oldLeft, times, sameRight, isPart, edits, distance, generator
    { asked: [23, 1, 22, 20, 32, 6, 0], above: [32, 3, 0, 0, 5, 33, Infinity], leaves: [0.0004246, -0.0623, 0.06082, -0.00832, -0.02439, -0.07659, 0.004323, 0] },
    // age, newestLines, likeAfter, mayContinue, places, generator, comeChars
    { asked: [2, 33, 18, 36, 3, 0, 13], above: [2, 4, 0.6316, 0, 5, Infinity, 21], leaves: [0.009931, -0.02147, -0.01606, -0.07165, -0.07407, 0, 0.02084, -0.04364] },
    // likeAfter, edits, isImport, oldLeft, goneChars, changes, generator
    { asked: [18, 32, 30, 23, 12, 16, 0], above: [0.3913, 1, 0, 4, 24, 1, Infinity], leaves: [0.02207, -0.03646, -0.04915, 0.01189, 0.01448, -0.01358, -0.07141, 0] },
    // distance, changes, goneChars, generator, edits, oldLines
    { asked: [6, 16, 12, 0, 32, 10, 12], above: [30, 1, 8, 1, 2, 0, 54], leaves: [0.02568, -0.02727, -0.008233, -0.0373, 0.01674, -0.03118, 0.01054, -0.04984] },
    // times, staysElsewhere, isJustTyped, newestLines, goneChars, mayContinue
    { asked: [1, 25, 35, 33, 12, 35, 36], above: [1, 0, 1, 4, 13, 0, 0], leaves: [0.0001551, -0.04052, -0.06726, 0.005383, 0.0008104, 0.04089, 0.007647, -0.09644] },
    // isPart, goneChars, oldLeft, isImport, mayContinue, places, generator
    { asked: [20, 12, 23, 30, 36, 3, 0], above: [0, 5, 1, 0, 0, 3, Infinity], leaves: [-0.006634, -0.08076, 0.01458, -0.031, -0.04516, 0.01805, -0.07042, 0] },
    // likeAfter, likeBefore, mayContinue, isJustTyped, newestLines, goneChars
    { asked: [18, 17, 36, 35, 33, 12, 35], above: [0.5806, 0.5714, 0, 0, 0, 6, 1], leaves: [-0.02664, 0.01987, 0.01985, -0.08638, -0.0009346, 0.02835, 0.02748, -0.09105] },
    // isBelow, isPassed, distance, isComment, generator
    { asked: [7, 8, 6, 29, 0, 0, 0], above: [0, 0, 6, 0, Infinity, 1, 3], leaves: [0.005925, -0.04203, -0.1144, 0, 0.04741, -0.01563, 0.002257, -0.08532] },
    // oldLeft, isBelow, sameRight, isPassed, comeChars, distance, generator
    { asked: [23, 7, 22, 8, 13, 6, 0], above: [32, 0, 0, 0, 2, 36, Infinity], leaves: [-0.00005851, -0.1117, -0.01545, 0.01641, -0.02333, -0.07177, 0.006059, 0] },
    // changes, likeAfter, comeChars, likeBefore, age, generator
    { asked: [16, 18, 13, 17, 2, 2, 0], above: [2, 0.9, 48, 0.9091, 0, 0, Infinity], leaves: [0.00242, -0.04632, -0.002395, 0.04727, -0.03795, 0.01897, -0.06559, 0] },
    // isPart, times, nowThere, isJustTyped, goneChars, generator
    { asked: [20, 1, 24, 24, 35, 12, 0], above: [0, 1, 1, 1, 1, 12, Infinity], leaves: [0.002842, -0.02465, 0.02369, -0.05227, -0.08029, -0.0219, -0.003483, 0] },
    // distance, isString, isBelow, changes, generator, goneChars
    { asked: [6, 6, 31, 7, 16, 0, 12], above: [49, 2, 0, 0, 1, 1, 3], leaves: [-0.06661, -0.0007754, 0.01445, -0.01249, -0.02992, 0.02941, -0.0384, 0.03625] },
    // age, changes, likeBefore, goneChars, generator, places
    { asked: [2, 16, 17, 12, 12, 0, 3], above: [2, 2, 0.6316, 7, 7, Infinity, 2], leaves: [-0.00652, 0.01287, 0.007813, -0.04213, -0.06573, 0, 0.01717, -0.03854] },
    // nearerPlaces, age, nowThere, mayContinue, likeAfter, generator
    { asked: [4, 2, 24, 36, 18, 0, 0], above: [10, 2, 3, 0, 0.6316, Infinity, Infinity], leaves: [0.006541, -0.01821, -0.06553, -0.005297, -0.05837, 0, -0.01744, 0] },
    // isPart, isJustTyped, nowThere, generator, comeChars, times
    { asked: [20, 35, 24, 0, 13, 1, 0], above: [0, 0, 0, 0, 1, 1, Infinity], leaves: [-0.02929, 0.005975, -0.03463, 0.01575, -0.07204, -0.02339, -0.006919, 0] },
    // times, places, goneChars, newestLines, likeBefore, oldLeft, likeAfter
    { asked: [1, 3, 12, 33, 17, 23, 18], above: [3, 1, 6, 0, 0.8485, 6, 0.3333], leaves: [0.05191, 0.0007136, 0.001554, -0.03023, 0.03102, -0.04237, -0.003647, 0.07376] },
    // comeChars, likeAfter, otherWords, likeBefore, generator, isJustTyped
    { asked: [13, 18, 5, 17, 13, 0, 35], above: [30, 0.5128, 0, 0.5, 26, 1, 0], leaves: [0.001905, -0.04061, 0.006573, 0.07665, -0.03518, 0.07301, -0.02913, -0.07041] },
    // distance, isBelow, places, isPassed, nowThere, comeChars
    { asked: [6, 7, 3, 8, 24, 13, 13], above: [138, 0, 10, 0, 10, 28, 12], leaves: [0.001914, -0.1076, 0.01546, -0.02714, 0.001157, -0.06056, -0.07164, -0.01256] },
    // isPart, times, oldLeft, isJustTyped, places, generator
    { asked: [20, 1, 23, 23, 35, 3, 0], above: [0, 1, 1, 22, 1, 3, Infinity], leaves: [-0.001712, -0.05312, 0.02139, -0.04871, -0.0403, 0.02056, -0.06471, 0] },
    // distance, changes, isComment, generator, edits, nowThere, isString
    { asked: [6, 16, 29, 0, 32, 24, 31], above: [30, 1, 0, 1, 2, 4, 0], leaves: [0.02055, -0.02426, -0.004745, -0.03574, 0.002835, -0.02694, -0.06615, -0.00307] },
    // times, isPart, edits, goneChars, nowThere, wasDeclared, generator
    { asked: [1, 20, 32, 12, 24, 26, 0], above: [3, 0, 5, 54, 0, 0, Infinity], leaves: [0.000621, -0.03944, -0.06782, -0.01189, 0.06054, -0.01325, -0.01891, 0] },
    // nearerPlaces, goneChars, nowThere, age, comeChars, generator
    { asked: [4, 12, 24, 2, 13, 0, 0], above: [10, 5, 3, 0, 56, Infinity, Infinity], leaves: [-0.02127, 0.01234, 0.008196, -0.06805, -0.05401, 0, -0.01141, 0] },
    // age, isInsideWord, likeBefore, newestLines, edits, generator, places
    { asked: [2, 34, 17, 33, 32, 0, 3], above: [2, 0, 0.6316, 4, 2, Infinity, 2], leaves: [0.004693, -0.02601, -0.08348, 0.0002509, -0.05936, 0, 0.01687, -0.03323] },
    // likeAfter, likeBefore, age, sameLeft, newestLines, goneChars
    { asked: [18, 17, 2, 21, 33, 12, 17], above: [0.9, 0.9091, 0, 0, 0, 1, 0.5], leaves: [-0.006911, 0.03654, 0.02603, -0.08794, -0.0399, 0.0129, 0.09083, 0.01484] },
    // distance, generator, goneChars, likeBefore, age
    { asked: [6, 0, 12, 17, 2, 17, 6], above: [138, 0, 3, 0.8, 0, 0.2, 205], leaves: [0.008759, -0.05693, -0.005503, 0.04104, -0.005059, -0.05339, -0.03535, 0.01579] },
    // age, isInsideWord, likeBefore, changes, edits, generator, places
    { asked: [2, 34, 17, 16, 32, 0, 3], above: [2, 0, 0.6316, 2, 2, Infinity, 2], leaves: [0.004242, -0.02826, -0.07908, 0.0007743, -0.05777, 0, 0.01385, -0.03137] },
  ],
};
