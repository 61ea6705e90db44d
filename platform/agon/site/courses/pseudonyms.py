"""Names under which students play: two words and a number, which say nothing about a person."""

import secrets

_FIRST = """
Agile Amber Arctic Bold Brave Breezy Bright Brisk Calm Candid Cheery Clever Cobalt Copper Coral Cosmic Crisp
Curious Daring Dashing Deft Eager Early Fabled Fair Fleet Fresh Gentle Gilded Golden Grand Hardy Honest
Humble Indigo Ivory Jade Jolly Keen Kind Lively Loyal Lucid Lunar Merry Mighty Nimble Noble Opal Patient
Placid Polar Proud Quick Quiet Rapid Ready Royal Rustic Sage Silver Solar Solid Spry Steady Stout Sunny
Swift Tidy Velvet Vivid Warm Wise Witty Zesty
"""
_SECOND = """
Albatross Alpaca Badger Beaver Bison Bobcat Caribou Cheetah Condor Cougar Coyote Crane Curlew Dingo Dolphin
Egret Falcon Ferret Finch Fox Gazelle Gecko Gibbon Grouse Gull Hare Heron Hornet Ibex Ibis Iguana Impala
Jackal Jaguar Kestrel Kiwi Koala Lemur Leopard Linnet Llama Lynx Magpie Marmot Marten Moose Newt Ocelot Orca
Osprey Otter Owl Panda Pelican Penguin Petrel Plover Puffin Puma Quail Rabbit Raven Robin Salmon Seal Serval
Sparrow Stoat Stork Swan Tapir Tern Toucan Turtle Viper Walrus Weasel Wombat Wren Zebra
"""


def draw() -> str:
    """A name such as BriskOtter42, of more than 500,000."""
    first, second = (secrets.choice(words.split()) for words in (_FIRST, _SECOND))
    return f"{first}{second}{10 + secrets.randbelow(90)}"
