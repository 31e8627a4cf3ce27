import { type Mutation, selectFirstSeeds } from './mutation.ts'

const caughtBy = [selectFirstSeeds(300)]

/**
 * Port guarantees that are broken in the simulated platform instead of the product. The simulation
 * must detect faults of a future platform, too.
 */
export const platformMutations: readonly Mutation[] = [
  {
    name: 'a platform lets operations begin before their needs have arrived',
    breaks: 'I3: the store checks the needs in the write of the begin',
    file: 'test/sim/heads.ts',
    edits: [['&& head.arrived.length >= needs', '&& needs >= 0']],
    // Only a late copy of a message reaches an operation that cannot begin, so few seeds detect
    // this.
    caughtBy: [selectFirstSeeds(600)],
  },
  {
    name: 'a platform does not return the stop flag between begin and call',
    breaks: 'control: read with strong consistency',
    file: 'test/sim/store.ts',
    edits: [['return control\n', "return { ...control, stop: 'none', closed: false }\n"]],
    caughtBy,
  },
  {
    name: 'a platform loses arrivals',
    breaks: 'arrive: idempotent, and durable when it returns',
    file: 'test/sim/heads.ts',
    edits: [['!before.arrived.includes(from)', '!before.arrived.includes(from) && from % 3 > 0']],
    caughtBy,
  },
  {
    name: 'a platform loses outcomes',
    breaks: 'I2: the outcome of every attempt is stored',
    file: 'test/sim/store.ts',
    edits: [
      ['outcomes.set(key, outcome)', 'if (outcome.operation % 5) outcomes.set(key, outcome)'],
    ],
    caughtBy,
  },
  {
    name: 'a platform acknowledges selects without writing them',
    breaks: 'select: durable when it returns',
    file: 'test/sim/heads.ts',
    edits: [
      [
        'const { owner, attempt, verdict } = end\n',
        "const { owner, attempt, verdict } = end\n      if (headKey.endsWith('7')) return true\n",
      ],
    ],
    caughtBy,
  },
  {
    name: 'a platform stores interrupted as succeeded',
    breaks: 'I9: a pending operation names every object that may exist',
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
    name: 'a platform assigns a begun operation to another owner',
    breaks: 'begin: the operation has no owner, or the requester owns it already',
    file: 'test/sim/heads.ts',
    edits: [['return isRepeated ? { kind', 'return isRepeated || head.end === undefined ? { kind']],
    caughtBy,
  },
  {
    name: 'a platform accepts records of a deposed generator',
    breaks: 'I5: put-if-absent at the next number',
    file: 'test/sim/store.ts',
    edits: [
      [
        "if (existing !== undefined) return existing.text === text ? 'already-appended' : 'refused'",
        "if (existing?.text === text) return 'already-appended'",
      ],
      ['if (record.number !== log.length)', 'if (record.number > log.length)'],
    ],
    caughtBy,
  },
  {
    name: 'a platform publishes a snapshot over a newer one',
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
    breaks: 'leases: each renewal increases the counter of its executor',
    file: 'test/sim/store.ts',
    edits: [['counter: lease.counter + 1', 'counter: lease.counter']],
    caughtBy,
  },
  {
    name: 'a platform runs two deployments of a stack at the same time',
    breaks: 'I5: deployments of one stack are serialised',
    file: 'test/sim/catalog.ts',
    edits: [["kind: stack.call === call ? 'started' : 'busy'", "kind: 'started'"]],
    caughtBy,
  },
]
