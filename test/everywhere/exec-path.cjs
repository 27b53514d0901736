// Makes a Node in an emulator start others as it was started itself: by the script that stands in for it.
process.execPath = process.argv0;
