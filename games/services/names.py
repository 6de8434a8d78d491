"""Names for guests: a mood or a colour and a bird or a plant, so that nobody real is named."""

import secrets

FIRST = """
Amber Autumn Bright Calm Clever Copper Dusky Early Gentle Golden Hazel Honest Jolly Kindly Late
Little Lucky Maple Marsh Meadow Mellow Merry Misty Morning Mossy Nimble Northern Orchard Patient
Quick Quiet River Rosy Russet Shady Silver Snowy Spring Steady Sunny Tidy Velvet Wild Winter
"""
SECOND = """
Acorn Alder Aster Avocet Birch Bittern Bluebell Bunting Chickadee Clover Crane Curlew Dipper Dove
Dunlin Egret Elm Fern Finch Grouse Hawthorn Heron Ivy Jay Juniper Kestrel Kinglet Lapwing Lark
Linnet Magpie Martin Nuthatch Oriole Osprey Petrel Pipit Plover Poppy Primrose Puffin Quail Raven
Robin Rook Sandpiper Siskin Snipe Sorrel Sparrow Starling Swallow Swift Tansy Teal Tern Thistle
Thrush Towhee Turnstone Vireo Warbler Waxwing Whimbrel Woodcock Wren Yarrow
"""


def friendly_name() -> str:
    """Return a name such as "Quiet Heron"; about 3,000 exist, so two guests may share one."""
    return f"{secrets.choice(FIRST.split())} {secrets.choice(SECOND.split())}"
