// Makes an emulated Node start other processes the way it was started itself: with the script that stands in for it.
process.execPath = process.argv0;
