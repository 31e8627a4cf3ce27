import { expect, test } from 'vitest'
import { shouldDebugPlugin, shouldDebugProgram } from './debug-targets.ts'

test.each([
  [[], false, false, false],
  [['program'], true, false, false],
  [['plugins'], false, true, true],
  [['plugin:a'], false, true, false],
  [['program', 'plugin:b'], true, false, true],
  [['all'], true, true, true],
])(
  '--attach-debugger %j debugs the program: %j, plugin a: %j, plugin b: %j',
  (targets, program, a, b) => {
    expect([
      shouldDebugProgram(targets),
      shouldDebugPlugin(targets, 'a'),
      shouldDebugPlugin(targets, 'b'),
    ]).toEqual([program, a, b])
  },
)
