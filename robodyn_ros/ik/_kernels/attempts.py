# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""The search for a joint vector: damped least squares inside the limits, with restarts."""

import math

import numpy as np

from robodyn_ros.dynamics._kernels.compile import jit
from robodyn_ros.dynamics._kernels.jacobian import pose_and_jacobian
from robodyn_ros.ik._kernels.damped_step import damped_step
from robodyn_ros.ik._kernels.layout import (
    ATTEMPT,
    ATTEMPT_SCORE,
    BEST,
    BEST_SCORE,
    BLOCKED,
    CANDIDATES,
    CHANGE,
    CURRENT,
    FINISHED,
    FOUND,
    ITERATIONS,
    LONGEST,
    LOWER,
    MAX_ITERATIONS,
    MAX_RESTARTS,
    ORIENTATION_ERROR,
    ORIENTATION_TOLERANCE,
    ORIENTATION_WEIGHT,
    POSITION,
    POSITION_ERROR,
    POSITION_TOLERANCE,
    POSITION_WEIGHT,
    RUNNING,
    SEED,
    SPAN,
    STALLED,
    STEP,
    STRIDE,
    TURN,
    UNIT,
    UPPER,
)
from robodyn_ros.ik._kernels.orientation import orientation_error

# From a sweep over five arms: success does not depend on them, the number of iterations little.
_DAMPING = 0.05  # per squared error, which counts as 1 at most
_LEAST_DAMPING = 1e-12
_PROGRESS = 0.8  # of the squared error: less of a fall counts as stalled
_PATIENCE = 5


@jit
def search(
    bodies, topology, path, offset, columns, joints, goal, vectors, counters, scores, budget
):
    """
    Run up to ``budget`` iterations more; returns RUNNING or FINISHED.

    One iteration is the damped step J' (J J' + damping I)^-1 e with the damping in proportion to
    the squared error (Chan and Lawrence 1988), without the joints that stand at a limit and are
    pulled outwards. Positions count in units of the chain's length. An attempt that stalls is
    followed by one from the next point of the low-discrepancy set. A solution from the seed ends
    the search; from restarts, the nearest of several is kept.

    All state is in ``vectors`` (3, n), ``counters`` and ``scores``: calls in a row do exactly
    what one long call does.
    """
    m = columns.shape[0]
    q = vectors[CURRENT]
    axes = np.empty((bodies.shape[0], 6))
    frame_rotation = np.empty((3, 3))
    frame_origin = np.empty(3)
    geometric = np.empty((6, q.shape[0]))
    jacobian = np.empty((m, 6))
    error = np.empty(6)
    matrix = np.empty((6, 6))
    step = np.empty(m)
    free = np.empty(m, dtype=np.bool_)
    if counters[ITERATIONS] == 0:
        scores[:] = math.inf
    for _ in range(budget):
        if counters[STEP] == 0:
            scores[ATTEMPT_SCORE] = math.inf
            counters[STALLED] = 0
            place_start(counters[ATTEMPT], columns, joints, vectors[SEED], q)
        counters[STEP] += 1
        counters[ITERATIONS] += 1
        pose_and_jacobian(
            bodies,
            topology,
            path,
            offset,
            q,
            axes,
            frame_rotation,
            frame_origin,
            geometric,
        )
        distance, angle = weighted_error(goal, frame_rotation, frame_origin, error)
        if distance <= goal[POSITION_TOLERANCE] and angle <= goal[ORIENTATION_TOLERANCE]:
            unwind(columns, joints, vectors[SEED], q)
            change = largest_change(columns, joints, vectors[SEED], q)
            if counters[FOUND] == 0 or change < scores[CHANGE]:
                vectors[BEST] = q
                scores[CHANGE] = change
                scores[POSITION_ERROR] = distance
                scores[ORIENTATION_ERROR] = angle
            counters[FOUND] += 1
            if counters[ATTEMPT] == 0 or counters[FOUND] >= counters[CANDIDATES]:
                return FINISHED
            if next_attempt(counters):
                continue
            return FINISHED
        score = 0.0
        for i in range(6):
            score += error[i] * error[i]
        nearer = counters[FOUND] == 0 and score < scores[BEST_SCORE]
        if nearer:
            vectors[BEST] = q
            scores[BEST_SCORE] = score
            scores[POSITION_ERROR] = distance
            scores[ORIENTATION_ERROR] = angle
        blocked = weigh_columns(goal, columns, joints, q, geometric, error, jacobian, free)
        if nearer:
            counters[BLOCKED] = blocked
        counters[STALLED] += 1
        if score < _PROGRESS * scores[ATTEMPT_SCORE]:
            scores[ATTEMPT_SCORE] = score
            counters[STALLED] = 0
        if counters[STALLED] > _PATIENCE or counters[STEP] >= counters[MAX_ITERATIONS]:
            if next_attempt(counters):
                continue
            return FINISHED
        damping = _DAMPING * min(score, 1.0) + _LEAST_DAMPING
        damped_step(jacobian, free, error, damping, matrix, step)
        for c in range(m):
            longest = joints[c, LONGEST]
            change = joints[c, UNIT] * min(max(step[c], -longest), longest)
            q[columns[c]] = keep_inside(q[columns[c]] + change, joints[c])
    return RUNNING


@jit
def weighted_error(goal, rotation, position, error):
    """Weighted pose error (6,), root axes; returns its distance (m) and angle (rad) unweighted."""
    squared = 0.0
    for i in range(3):
        e = goal[POSITION + i] - position[i]
        squared += e * e
        error[i] = e * goal[POSITION_WEIGHT]
        error[3 + i] = 0.0
    angle = 0.0
    if goal[ORIENTATION_WEIGHT] > 0.0:
        angle = orientation_error(goal[:9].reshape((3, 3)), rotation, error[3:])
        for i in range(3, 6):
            error[i] *= goal[ORIENTATION_WEIGHT]
    return math.sqrt(squared), angle


@jit
def weigh_columns(goal, columns, joints, q, geometric, error, jacobian, free):
    """
    Jacobian (m, 6) of the weighted error, a row per joint, and which joints are free to move.

    Not free is a joint at a limit that the error pulls outwards, unless it can go on a full turn
    back. Returns how many are not.
    """
    blocked = 0
    for c in range(columns.shape[0]):
        pull = 0.0
        for i in range(6):
            weight = goal[POSITION_WEIGHT] if i < 3 else goal[ORIENTATION_WEIGHT]
            jacobian[c, i] = weight * joints[c, UNIT] * geometric[i, columns[c]]
            pull += jacobian[c, i] * error[i]
        value, low, high, turn = q[columns[c]], joints[c, LOWER], joints[c, UPPER], joints[c, TURN]
        outwards = (value <= low and pull < 0.0) or (value >= high and pull > 0.0)
        free[c] = not outwards or (turn > 0.0 and high - low >= turn)
        blocked += 0 if free[c] else 1
    return blocked


@jit
def next_attempt(counters):
    """Go on to the next restart; False when there is none left."""
    if counters[ATTEMPT] >= counters[MAX_RESTARTS]:
        return False
    counters[ATTEMPT] += 1
    counters[STEP] = 0
    return True


@jit
def place_start(attempt, columns, joints, seed, q):
    """Put q at the seed, or at a point of the low-discrepancy set around it."""
    for c in range(columns.shape[0]):
        value = seed[columns[c]]
        if attempt > 0:
            low, high, span = joints[c, LOWER], joints[c, UPPER], joints[c, SPAN]
            first = min(max(value - 0.5 * span, low), max(high - span, low))
            value = first + span * ((0.5 + attempt * joints[c, STRIDE]) % 1.0)
            value = min(max(value, low), high)
        q[columns[c]] = value


@jit
def keep_inside(value, joint):
    """Return the value a full turn away where that is inside and the same pose, else clamped."""
    low, high, turn = joint[LOWER], joint[UPPER], joint[TURN]
    if value > high:
        return value - turn if turn > 0.0 and value - turn >= low else high
    if value < low:
        return value + turn if turn > 0.0 and value + turn <= high else low
    return value


@jit
def unwind(columns, joints, seed, q):
    """Take full turns off q: of equal poses inside the limits the one nearest the seed."""
    for c in range(columns.shape[0]):
        turn = joints[c, TURN]
        if turn > 0.0:
            value = q[columns[c]]
            turns = math.floor((value - seed[columns[c]]) / turn + 0.5)
            while turns != 0.0:
                turned = value - turn * turns
                if joints[c, LOWER] <= turned <= joints[c, UPPER]:
                    q[columns[c]] = turned
                    break
                turns -= 1.0 if turns > 0.0 else -1.0


@jit
def largest_change(columns, joints, seed, q):
    """Largest joint change from the seed, in units (rad, or chain lengths)."""
    largest = 0.0
    for c in range(columns.shape[0]):
        largest = max(largest, abs(q[columns[c]] - seed[columns[c]]) / joints[c, UNIT])
    return largest
