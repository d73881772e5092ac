"""What a photograph shows, coarsely: ImageNet's thousand classes in groups, and the shares of each group summed.

ImageNet knows many animals and hardly any people: `person` is its three, and who is in a picture shows more often as
`clothing`. A share is no probability of being there: of two things in a picture, each gets a part.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

GROUPS: Final[Mapping[str, str]] = {
    "animal": "0-397",
    "food": "924-957 959-967 969 923 509 567 582 415 467 762 968",
    "plant": "984-998 958 580 738",
    "scenery": "970 972-980 460 449 718 536 525",
    "person": "981-983",
    "vehicle": (
        "403-405 407-408 417 436 444 450 468 466 471 472 475 479 484 510-511 517 535 537 547 554-555 561 565 569 573 575 576"
        " 586 595 603 609 612 625 627-628 654 656 660-661 665 670-671 675 690 694 705 717 730 734 751 757 779-780 785"
        " 802-803 812 814 817 820 829 833 847 856 864 866-867 870-871 874 880 895 908 913-914"
    ),
    "building": (
        "410 421 424-425 437 442 448 454 483 497-498 500 538 540 557 562 571 616 624 634 649 663 668 682 698 706 708 716 727"
        " 743 788 821 825 832 839 853 858 860 863 865 873 877 884 888 900 912 915 919-920 406 489 493 581 645 703-704 819"
    ),
    "device": (
        "409 413 426 447 476 480-482 485 487 508 527-528 530-531 534 545 548 550 589-590 592 598 604-605 613 620 622 632-633"
        " 635 650-651 662 664 673 681 685 688 707 713 732 740 742 745 753-755 759-761 778 782 786 798 800 807 810-811 818"
        " 826-827 844 846 848 851 859 878 882 886 892 897"
    ),
    "clothing": (
        "399-400 411 433 439 443 445 451-452 457 459 461 464-465 474 490 496 501-502 514-515 518 524 529 552 560 568 570 578"
        " 584 601 608 610 614-615 617 630 638-639 643 652 655 658 667 679 689 697 715 735 748 770 774-775 793 796 806"
        " 808 824 834 836-837 841-842 869 887 893 903 906"
    ),
    "furniture": (
        "423 431 434-435 453 492 495 516 520 526 532 539 553 556 559 564 599 619 648 669 703 721 736 741 750 765 789 794 797"
        " 799 831 857 861 876 894 896 904-905"
    ),
    "instrument": (
        "401-402 420 432 486 494 513 541-542 546 558 566 577 579 593-594 641-642 683-684 687 699 776 822 875 881 889"
    ),
    "weapon": "413 471 657 744 763-764 777 456 583 787",
    "medicine": "418-419 523 678 691 712 720 823 830 840 845",
    "sport": "416 422 429-430 522 543 574 602 702 722 746-747 752 768 795 805 852 890",
    "print": "916-918 921-922 446 549 611 692 769 692 781",
}
"""By ImageNet's numbers. What stands in several groups counts for the first. What is in none is an `object`."""
REST: Final = "object"
NAMES: Final = (*GROUPS, REST)
_CLASSES: Final = 1000


def _numbers(told: str) -> list[int]:
    found: list[int] = []
    for part in told.split():
        first, _, last = part.partition("-")
        found.extend(range(int(first), int(last or first) + 1))
    return found


def _group_of_each() -> NDArray[np.int64]:
    groups = np.full(_CLASSES, NAMES.index(REST), np.int64)
    for name in reversed(tuple(GROUPS)):
        groups[_numbers(GROUPS[name])] = NAMES.index(name)
    return groups


GROUP_OF: Final = _group_of_each()
"""Of each class, the place of its group in NAMES."""


def things(logits: NDArray[Any]) -> dict[str, float]:
    """Group to share, largest first, those of at least a hundredth. logits: (1000,) of ImageNet."""
    shares = np.exp(logits - logits.max())
    shares = np.bincount(GROUP_OF, shares / shares.sum(), len(NAMES))
    order = np.argsort(-shares, kind="stable")
    return {NAMES[place]: round(float(shares[place]), 4) for place in order if shares[place] >= 0.01}
