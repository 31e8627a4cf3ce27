import { availableParallelism } from 'node:os'
import { type TestProjectInlineConfiguration, defineConfig } from 'vitest/config'
import { compileCacheFolder } from './cli/bootstrap/paths.mjs'

/**
 * The tier of this run. The name of a test file contains its tier: `x.test.ts` runs in `npm test`,
 * `x.full.test.ts` in `npm run test:full`, `x.aws.test.ts` in `npm run test:aws`,
 * `x.nightly.test.ts` in `npm run nightly`.
 */
const tier = process.env['ANTICHAIN_TIER'] ?? 'readme'
if (!['readme', 'full', 'aws', 'nightly'].includes(tier))
  throw new Error(`ANTICHAIN_TIER is '${tier}': it must be one of readme, full, aws, nightly`)
const tierPattern = tier === 'readme' ? '*.test.ts' : `*.${tier}.test.ts`
const otherTierPatterns =
  tier === 'readme' ? ['full', 'aws', 'nightly'].map(other => `**/*.${other}.test.ts`) : []
// Without a user's cache, programs keep compiled code, with their literals, in the home of a test.
// Tests that search this folder for secrets would find them.
process.env['NODE_COMPILE_CACHE'] ??= compileCacheFolder
/** Folders of programs, which are no tests of this repository. */
const programFolders = [
  '**/node_modules/**',
  'test/golden/cases/**',
  'test/golden/more/**',
  'test/tfgolden/cases/**',
  'test/fixtures/**',
  'examples/**',
]

/**
 * The number of workers for each core. Tests of the first tier need a core all the time. Those of
 * the others wait a third of the time, for processes and for the local cloud.
 */
const workersPerCore = ['full', 'aws'].includes(tier) ? 1.5 : 1

type Settings = NonNullable<TestProjectInlineConfiguration['test']>

/** Creates the project of one kind of test. `settings` replace the defaults. */
const createProject = (
  name: string,
  folders: readonly string[],
  settings: Settings,
): TestProjectInlineConfiguration => ({
  test: {
    name,
    include: folders.map(folder => `${folder}/**/${tierPattern}`),
    exclude: [...programFolders, ...otherTierPatterns],
    ...settings,
  },
})

/**
 * The settings of pure tests. They share a worker, because most of their time is the loading of
 * code.
 */
const sharedWorker: Settings = { pool: 'threads', isolate: false, testTimeout: 60_000 }
/**
 * Returns the settings of tests that own processes or files. Each test file has its own process.
 */
const ownProcess = (timeoutSeconds: number): Settings => ({
  pool: 'forks',
  testTimeout: timeoutSeconds * 1000,
  hookTimeout: timeoutSeconds * 1000,
})

/**
 * The files of the lifecycle project. Its subfolders have the tests that are translated from
 * Pulumi's own lifecycle tests. They are many, so the first tier omits them, and the second tier
 * runs them.
 */
const lifecycleFiles: Settings =
  tier === 'full'
    ? { include: ['test/lifecycle/**/*.full.test.ts', 'test/lifecycle/*/**/*.test.ts'] }
    : tier === 'readme'
      ? { exclude: [...programFolders, ...otherTierPatterns, 'test/lifecycle/*/**'] }
      : {}

export default defineConfig({
  test: {
    maxWorkers: Math.ceil(availableParallelism() * workersPerCore),
    projects: [
      createProject(
        'unit',
        ['shared', 'functions', 'local', 'cli', 'bench', 'dashboard', 'docs/site'],
        sharedWorker,
      ),
      createProject('contract', ['test/contract'], ownProcess(180)),
      // The tests share the emulators. Each test uses names of its own for its records.
      createProject('aws', ['test/aws'], ownProcess(120)),
      // These tests read the calls that the tests of the local cloud have recorded.
      createProject('permissions', ['test/permissions'], {
        ...ownProcess(120),
        sequence: { groupOrder: 1 },
      }),
      // The third tier runs all properties again, on more cases.
      createProject('property', ['test/property'], {
        ...ownProcess(tier === 'nightly' ? 1200 : 300),
        ...(tier === 'nightly' ? { include: ['test/property/**/*.test.ts'] } : {}),
        setupFiles: ['test/property/configure-properties.ts'],
      }),
      // The third tier runs the mutated inputs of the second tier again, with more of them.
      createProject('fuzz', ['test/fuzz'], {
        ...ownProcess(tier === 'nightly' ? 3_600 : 300),
        ...(tier === 'nightly' ? { include: ['test/fuzz/**/*.test.ts'] } : {}),
      }),
      createProject('infra', ['test/infra'], ownProcess(300)),
      createProject('verifier', ['test/verifier'], ownProcess(60)),
      // These tests start no processes. They share workers, because the engine takes long to load.
      createProject('lifecycle', ['test/lifecycle'], {
        ...ownProcess(180),
        isolate: false,
        ...lifecycleFiles,
      }),
      createProject('sim', ['test/sim'], ownProcess(tier === 'readme' ? 180 : 1200)),
      // These tests run other suites, so they run after all other projects.
      createProject('mutations', ['test/mutations'], {
        ...ownProcess(3_600),
        sequence: { groupOrder: 2 },
      }),
      // A comparison of times runs alone, so that no other test changes one of the times.
      createProject('timing', ['test/timing'], {
        ...ownProcess(600),
        sequence: { groupOrder: 3 },
      }),
      createProject('house', ['test/house'], ownProcess(180)),
      createProject('integration', ['test/integration'], ownProcess(180)),
      createProject('e2e', ['test/e2e', 'test/pulumi-cli'], ownProcess(240)),
    ],
  },
})
