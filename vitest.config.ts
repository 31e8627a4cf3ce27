import { type TestProjectInlineConfiguration, defineConfig } from 'vitest/config'

/**
 * One project per kind of test. The name of a file says its tier: `x.test.ts` runs in `npm test`,
 * `x.full.test.ts` in `npm run test:full`, `x.aws.test.ts` in `npm run test:aws`,
 * `x.nightly.test.ts` in `npm run nightly`.
 */
const tier = process.env['ANTICHAIN_TIER'] ?? 'readme'
if (!['readme', 'full', 'aws', 'nightly'].includes(tier))
  throw new Error(`ANTICHAIN_TIER is '${tier}': it is one of readme, full, aws, nightly`)
const kept = tier === 'readme' ? '*.test.ts' : `*.${tier}.test.ts`
const otherTiers =
  tier === 'readme' ? ['full', 'aws', 'nightly'].map(other => `**/*.${other}.test.ts`) : []
const programs = [
  '**/node_modules/**',
  'test/golden/cases/**',
  'test/golden/more/**',
  'test/fixtures/**',
  'examples/**',
]

type Settings = NonNullable<TestProjectInlineConfiguration['test']>

const project = (
  name: string,
  folders: readonly string[],
  settings: Settings,
): TestProjectInlineConfiguration => ({
  test: {
    name,
    include: folders.map(folder => `${folder}/**/${kept}`),
    exclude: [...programs, ...otherTiers],
    ...settings,
  },
})

/** Pure tests share their worker: loading the code once is most of their time. */
const together: Settings = { pool: 'threads', isolate: false, testTimeout: 60_000 }
/** Tests that own processes, files and signals have a process of their own. */
const alone = (seconds: number): Settings => ({
  pool: 'forks',
  testTimeout: seconds * 1000,
  hookTimeout: seconds * 1000,
})

/**
 * The behaviours of the original engine, a folder per group, are many: the second tier has them.
 */
const groups: Settings =
  tier === 'full'
    ? { include: ['test/lifecycle/**/*.full.test.ts', 'test/lifecycle/*/**/*.test.ts'] }
    : tier === 'readme'
      ? { exclude: [...programs, ...otherTiers, 'test/lifecycle/*/**'] }
      : {}

export default defineConfig({
  test: {
    // As many as the machine has; the default leaves one of two idle.
    maxWorkers: '100%',
    projects: [
      project('unit', ['shared', 'functions', 'local', 'cli', 'bench'], together),
      project('contract', ['test/contract'], alone(180)),
      // The servers are shared; each test keeps its records under its own names.
      project('aws', ['test/aws'], alone(120)),
      // It compares what all tests of the local cloud did.
      project('permissions', ['test/permissions'], {
        ...alone(120),
        sequence: { groupOrder: 1 },
      }),
      // At night the same properties run again, on more cases.
      project('property', ['test/property'], {
        ...alone(tier === 'nightly' ? 1200 : 300),
        ...(tier === 'nightly' ? { include: ['test/property/**/*.test.ts'] } : {}),
        setupFiles: ['test/property/runs.ts'],
      }),
      project('infra', ['test/infra'], alone(300)),
      project('verifier', ['test/verifier'], alone(60)),
      project('lifecycle', ['test/lifecycle'], { ...alone(180), ...groups }),
      project('sim', ['test/sim'], alone(tier === 'readme' ? 180 : 1200)),
      // They run others: beside them everything would only be slower.
      project('mutations', ['test/mutations'], {
        ...alone(3_600),
        sequence: { groupOrder: 2 },
      }),
      project('house', ['test/house'], alone(180)),
      project('integration', ['test/integration'], alone(180)),
      project('e2e', ['test/e2e'], alone(240)),
    ],
  },
})
