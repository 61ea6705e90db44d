# Removes its folder. Expect: could not be read, not acceptable
cd / && rm -rf /box/work
