# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""Benchmarks and comparisons with other libraries; nothing here decides a test by its timing."""
