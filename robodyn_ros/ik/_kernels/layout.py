# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""Columns and entries of the arrays that the search reads and writes."""

# Columns of a joint row, one row per joint that may move.
LOWER = 0
UPPER = 1
TURN = 2  # 2 pi when a full turn leaves the whole robot as it was, else 0
SPAN = 3  # width of the range that restarts are drawn from
UNIT = 4  # joint motion that counts as 1: 1 rad, or the chain's length in m
LONGEST = 5  # step in units: a turn bends the way of the tool, a slide does not
STRIDE = 6  # of the low-discrepancy sequence
JOINT_COLUMNS = 7

# Entries of the goal.
ROTATION = 0  # 9, row-major; ignored when its weight is 0
POSITION = 9  # 3 (m)
POSITION_WEIGHT = 12
ORIENTATION_WEIGHT = 13
POSITION_TOLERANCE = 14
ORIENTATION_TOLERANCE = 15
GOAL_ENTRIES = 16

# Rows of the joint vectors.
SEED = 0
CURRENT = 1
BEST = 2  # the nearest miss, then the solution nearest the seed
VECTORS = 3

# Entries of the counters; the first three are given.
MAX_ITERATIONS = 0  # per attempt
MAX_RESTARTS = 1
CANDIDATES = 2  # solutions of restarts to choose from
ATTEMPT = 3  # 0 is the one from the seed
STEP = 4  # of this attempt
STALLED = 5  # steps since the error last fell for good
ITERATIONS = 6  # of all attempts
FOUND = 7  # solutions so far
BLOCKED = 8  # joints of the nearest miss that a limit keeps from coming nearer
COUNTERS = 9

# Entries of the scores.
ATTEMPT_SCORE = 0  # weighted squared error this attempt has come down to
BEST_SCORE = 1  # the same of the nearest miss
POSITION_ERROR = 2  # of the best vector (m)
ORIENTATION_ERROR = 3  # and (rad)
CHANGE = 4  # of the solution nearest the seed: its largest joint change, in units
SCORES = 5

# What a call of the search ends with.
RUNNING = 0
FINISHED = 1
