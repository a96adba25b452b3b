"""Newick text to arrays, in one pass over the bytes.

The parser knows the grammar and nothing else: it returns where names, lengths and comments stand. Its caller turns them
into strings, and an error code into a sentence.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from treetalk._kernels._jit import kernel

IntArray = NDArray[np.int64]

VALID = 0
NO_TREE = 1  # nothing but white space and comments is left
EMPTY_TREE = 2
UNCLOSED_PARENTHESIS = 3  # `other` is where it was opened
CLOSES_NOTHING = 4
COMMA_OUTSIDE = 5
MISSING_SEMICOLON = 6
UNCLOSED_QUOTE = 7
UNCLOSED_COMMENT = 8
COMMENT_CLOSES_NOTHING = 9
PARENTHESIS_AFTER_NODE = 10
NAME_AFTER_NAME = 11
NAME_AFTER_LENGTH = 12
SECOND_LENGTH = 13
BAD_LENGTH = 14  # it runs from `position` to `other`

NO_LABEL = 0
PLAIN = 1
QUOTED = 2
QUOTED_WITH_DOUBLED_QUOTES = 3

NO_LENGTH = 0
EXACT = 1  # the length was parsed, correctly rounded
UNPARSED = 2  # too many digits for the fast path

# What the current node may still take.
SUBTREE = 0  # anything
AFTER_CHILDREN = 1
AFTER_LABEL = 2
AFTER_LENGTH = 3

SPACE, TAB, NEWLINE, RETURN = 32, 9, 10, 13
OPEN, CLOSE, COMMA, COLON, SEMICOLON = 40, 41, 44, 58, 59
BRACKET, END_BRACKET, AMPERSAND = 91, 93, 38
QUOTE, DOUBLE_QUOTE = 39, 34
PLUS, MINUS, POINT, ZERO, NINE, UPPER_E, LOWER_E = 43, 45, 46, 48, 57, 69, 101

POWERS_OF_TEN = np.array([float(f"1e{k}") for k in range(23)])  # those that a double holds exactly
EXACT_INTEGERS = 2**53


# Columns of a table of nodes; all but the first and the kinds are positions in the text.
PARENT = 0
BEGIN = 1
LABEL_KIND = 2
LABEL_START = 3
LABEL_END = 4
LENGTH_KIND = 5
LENGTH_START = 6
LENGTH_END = 7
COMMENT_START = 8  # of the first comment of the form [&...] after the node's children, 0 for none
COMMENT_END = 9  # of the last one
NUM_COLUMNS = 10


class Parsed(NamedTuple):
    """One tree, or the fault that stopped the parser. Nodes stand in the order in which they begin, the root first."""

    fault: int
    position: int  # where the fault stands, else the byte after the tree's semicolon
    other: int
    nodes: IntArray
    length: NDArray[np.float64]


@kernel
def _is_space(byte: int) -> bool:
    return byte == SPACE or byte == NEWLINE or byte == TAB or byte == RETURN


@kernel
def _ends_word(byte: int) -> bool:
    return (
        _is_space(byte)
        or byte == COMMA
        or byte == CLOSE
        or byte == COLON
        or byte == OPEN
        or byte == SEMICOLON
        or byte == BRACKET
        or byte == END_BRACKET
    )


@kernel
def _end_of_comment(text: Any, position: int) -> int:
    """Return the byte after the comment that opens at `position`, or -1; comments may be nested."""
    open_brackets = 0
    for i in range(position, text.size):
        if text[i] == BRACKET:
            open_brackets += 1
        elif text[i] == END_BRACKET:
            open_brackets -= 1
            if open_brackets == 0:
                return i + 1
    return -1


@kernel
def parse_number(text: Any, start: int, end: int) -> Any:
    """Return (kind, value) of a decimal number; NO_LENGTH if it is none, UNPARSED if the fast path cannot round it."""
    i = start
    negative = False
    if i < end and (text[i] == PLUS or text[i] == MINUS):
        negative = text[i] == MINUS
        i += 1
    mantissa = 0
    exponent = 0
    digits = 0
    exact = True
    after_point = False
    while i < end:
        byte = text[i]
        if ZERO <= byte <= NINE:
            digits += 1
            if mantissa < EXACT_INTEGERS // 10:
                mantissa = mantissa * 10 + (np.int64(byte) - ZERO)
                if after_point:
                    exponent -= 1
            else:
                exact = False
        elif byte == POINT and not after_point:
            after_point = True
        else:
            break
        i += 1
    if digits == 0:
        return NO_LENGTH, 0.0
    if i < end:
        if text[i] != LOWER_E and text[i] != UPPER_E:
            return NO_LENGTH, 0.0
        i += 1
        sign = 1
        if i < end and (text[i] == PLUS or text[i] == MINUS):
            sign = -1 if text[i] == MINUS else 1
            i += 1
        if i == end:
            return NO_LENGTH, 0.0
        power = 0
        while i < end:
            if not ZERO <= text[i] <= NINE:
                return NO_LENGTH, 0.0
            if power < 10_000:
                power = power * 10 + (np.int64(text[i]) - ZERO)
            i += 1
        exponent += sign * power
    # An integer and a power of ten that are both exact give a correctly rounded quotient or product (Clinger 1990).
    if not exact or exponent < -22 or exponent > 22:
        return UNPARSED, 0.0
    value = float(mantissa)
    if exponent < 0:
        value /= POWERS_OF_TEN[-exponent]
    else:
        value *= POWERS_OF_TEN[exponent]
    return EXACT, -value if negative else value


@kernel
def _end_of_word(text: Any, position: int) -> int:
    i = position
    while i < text.size and not _ends_word(text[i]):
        i += 1
    return i


@kernel
def _label_at(text: Any, position: int) -> Any:
    """Return (kind, start, end, position after it) of the label that begins here; the last is -1 if it does not end."""
    quote = text[position]
    if quote != QUOTE and quote != DOUBLE_QUOTE:
        end = _end_of_word(text, position)
        return PLAIN, position, end, end
    kind = QUOTED
    i = position + 1
    while i < text.size:
        if text[i] == quote:
            if i + 1 == text.size or text[i + 1] != quote:
                return kind, position + 1, i, i + 1
            kind = QUOTED_WITH_DOUBLED_QUOTES
            i += 1
        i += 1
    return kind, position + 1, i, -1


@kernel
def _skip_blank(text: Any, position: int) -> int:
    """Return the position of the next byte that is neither white space nor in a comment; a comment left open stays."""
    i = position
    while i < text.size:
        if text[i] == BRACKET:
            after = _end_of_comment(text, i)
            if after == -1:
                break
            i = after
        elif _is_space(text[i]):
            i += 1
        else:
            break
    return i


@kernel
def is_blank(text: Any, position: int) -> bool:
    """Return whether only white space and comments follow."""
    return _skip_blank(text, position) == text.size


@kernel
def _fault_at_end(nodes: Any, node: int, anything: bool) -> Any:
    """Return (fault, other) for a text that ends within a tree."""
    if not anything:
        return NO_TREE, 0
    if nodes[node, PARENT] != -1:
        return UNCLOSED_PARENTHESIS, nodes[nodes[node, PARENT], BEGIN]
    return MISSING_SEMICOLON, 0


@kernel
def _fault_of_structure(byte: int, state: int, is_root: bool, num_nodes: int) -> int:
    """Return what is wrong with a parenthesis, comma or semicolon here, or VALID."""
    if byte == OPEN and state != SUBTREE:
        return PARENTHESIS_AFTER_NODE
    if byte == COMMA and is_root:
        return COMMA_OUTSIDE
    if byte == CLOSE and is_root:
        return CLOSES_NOTHING
    if byte == SEMICOLON and not is_root:
        return UNCLOSED_PARENTHESIS
    if byte == SEMICOLON and num_nodes == 1 and state == SUBTREE:
        return EMPTY_TREE
    if byte == END_BRACKET:
        return COMMENT_CLOSES_NOTHING
    if byte == COLON and state == AFTER_LENGTH:
        return SECOND_LENGTH
    return VALID


@kernel
def parse(text: Any, start: int) -> Any:
    """Parse the tree that begins at byte `start` and return it as Parsed."""
    nodes = np.zeros((64, NUM_COLUMNS), np.int64)
    length = np.zeros(64, np.float64)
    nodes[0, PARENT] = -1
    num_nodes = 1
    node = 0
    state = SUBTREE
    anything = False  # whether a byte other than white space and comments was seen
    fault = VALID
    other = 0
    i = start
    while True:
        while i < text.size and _is_space(text[i]):
            i += 1
        if i == text.size:
            fault, other = _fault_at_end(nodes, node, anything)
            break
        byte = text[i]
        if byte == BRACKET:
            after = _end_of_comment(text, i)
            if after == -1:
                fault = UNCLOSED_COMMENT
                break
            if text[i + 1] == AMPERSAND:
                if nodes[node, COMMENT_END] == 0:
                    nodes[node, COMMENT_START] = i
                nodes[node, COMMENT_END] = after
            i = after
            continue
        if state == SUBTREE:
            nodes[node, BEGIN] = i
        anything = True
        fault = _fault_of_structure(byte, state, nodes[node, PARENT] == -1, num_nodes)
        if fault != VALID:
            if fault == UNCLOSED_PARENTHESIS:
                other = nodes[nodes[node, PARENT], BEGIN]
            break
        if byte == OPEN:
            # What stands before the children is about the whole tree, such as [&R].
            nodes[node, COMMENT_START] = 0
            nodes[node, COMMENT_END] = 0
        if byte == OPEN or byte == COMMA:
            if num_nodes == length.size:
                nodes = np.concatenate((nodes, np.zeros_like(nodes)))
                length = np.concatenate((length, np.zeros_like(length)))
            nodes[num_nodes, PARENT] = node if byte == OPEN else nodes[node, PARENT]
            node = num_nodes
            num_nodes += 1
            state = SUBTREE
            i += 1
        elif byte == CLOSE:
            node = nodes[node, PARENT]
            state = AFTER_CHILDREN
            i += 1
        elif byte == SEMICOLON:
            i += 1
            break
        elif byte == COLON:
            i = _skip_blank(text, i + 1)  # BEAST writes comments before the number
            if i < text.size and text[i] == BRACKET:
                fault = UNCLOSED_COMMENT
                break
            after = _end_of_word(text, i)
            kind, length[node] = parse_number(text, i, after)
            if kind == NO_LENGTH:
                fault = BAD_LENGTH
                other = after
                break
            nodes[node, LENGTH_KIND] = kind
            nodes[node, LENGTH_START] = i
            nodes[node, LENGTH_END] = after
            state = AFTER_LENGTH
            i = after
        elif state >= AFTER_LABEL:
            fault = NAME_AFTER_NAME if state == AFTER_LABEL else NAME_AFTER_LENGTH
            break
        else:
            kind, label_start, label_end, after = _label_at(text, i)
            if after == -1:
                fault = UNCLOSED_QUOTE
                break
            nodes[node, LABEL_KIND] = kind
            nodes[node, LABEL_START] = label_start
            nodes[node, LABEL_END] = label_end
            state = AFTER_LABEL
            i = after
    return Parsed(fault, i, other, nodes[:num_nodes], length[:num_nodes])


@kernel
def cumulated(parent: Any, length: Any) -> Any:
    """Return the distance of each node from the beginning of the root's branch; every parent stands before its children.

    A negative length counts as none.
    """
    time = np.empty(parent.size, np.float64)
    for v in range(parent.size):
        above = float(time[parent[v]]) if v > 0 else 0.0
        time[v] = above + max(float(length[v]), 0.0)
    return time
