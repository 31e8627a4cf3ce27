import { type Mutation, seedsOf } from './mutation.ts'

const caughtBy = [seedsOf(300)]

/**
 * Promises of the ports, broken by the simulated platform instead of by the product: whoever writes
 * the next platform must be caught by the simulation, too.
 */
export const platformMutations: readonly Mutation[] = [
  {
    name: 'a platform lets operations begin without what they need',
    breaks: 'I3: the store enforces needs in the write that is the begin',
    file: 'test/sim/heads.ts',
    edits: [['&& head.arrived.length >= needs', '&& needs >= 0']],
    caughtBy,
  },
  {
    name: 'a platform does not show the stop flag between begin and call',
    breaks: 'control: read strongly consistently',
    file: 'test/sim/store.ts',
    edits: [['return control\n', "return { ...control, stop: 'none', closed: false }\n"]],
    caughtBy,
  },
  {
    name: 'a platform drops arrivals',
    breaks: 'arrive: idempotent, and durable when it answers',
    file: 'test/sim/heads.ts',
    edits: [['!before.arrived.includes(from)', '!before.arrived.includes(from) && from % 3 > 0']],
    caughtBy,
  },
  {
    name: 'a platform forgets outcomes',
    breaks: "I2: every attempt's outcome is kept",
    file: 'test/sim/store.ts',
    edits: [['outcomes.set(at, outcome)', 'if (outcome.operation % 5) outcomes.set(at, outcome)']],
    caughtBy,
  },
  {
    name: 'a platform answers selects and does not write them',
    breaks: 'select: durable when it answers',
    file: 'test/sim/heads.ts',
    edits: [
      [
        'const { owner, attempt, verdict } = end\n',
        "const { owner, attempt, verdict } = end\n      if (at.endsWith('7')) return true\n",
      ],
    ],
    caughtBy,
  },
  {
    name: 'a platform writes interrupted as succeeded',
    breaks: 'I9: what may exist is named by a pending operation',
    file: 'test/sim/heads.ts',
    edits: [
      [
        'end: { verdict, attempt } }',
        "end: { verdict: verdict === 'interrupted' ? 'succeeded' : verdict, attempt } }",
      ],
    ],
    caughtBy,
  },
  {
    name: 'a platform gives what somebody has begun to another',
    breaks: 'begin: no owner, or already mine',
    file: 'test/sim/heads.ts',
    edits: [['return isRepeated ? { kind', 'return isRepeated || head.end === undefined ? { kind']],
    caughtBy,
  },
  {
    name: 'a platform lets a deposed generator write',
    breaks: 'I5: put-if-absent at the next number',
    file: 'test/sim/store.ts',
    edits: [
      [
        "if (there !== undefined) return there.text === text ? 'mine' : 'taken'",
        "if (there?.text === text) return 'mine'",
      ],
      ['if (record.number !== log.length)', 'if (record.number > log.length)'],
    ],
    caughtBy,
  },
  {
    name: 'a platform publishes a snapshot over another',
    breaks: 'close: compare-and-swap from the version of the base',
    file: 'test/sim/catalog.ts',
    edits: [
      [
        "if (stack.version !== expected) return { kind: 'conflict'",
        "if (stack.version < 0) return { kind: 'conflict'",
      ],
      ['const version = expected + 1', 'const version = stack.version + 1'],
    ],
    caughtBy,
  },
  {
    name: 'a platform does not count renewals',
    breaks: 'leases: one counter per executor, renewed',
    file: 'test/sim/store.ts',
    edits: [['counter: lease.counter + 1', 'counter: lease.counter']],
    caughtBy,
  },
  {
    name: 'a platform runs two deployments of a stack at once',
    breaks: 'I5: deployments of one stack are serialised',
    file: 'test/sim/catalog.ts',
    edits: [["kind: stack.call === call ? 'started' : 'busy'", "kind: 'started'"]],
    caughtBy,
  },
]
