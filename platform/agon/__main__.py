from agon.cli import main

main()
