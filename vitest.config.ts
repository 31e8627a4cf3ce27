import { defineConfig } from 'vitest/config'

/**
 * Tiers by file name: `x.test.ts` in `npm test`, `x.full.test.ts` in `npm run test:full`,
 * `x.nightly.test.ts` in `npm run nightly`.
 */
const tier = process.env['ANTICHAIN_TIER'] ?? 'readme'
const kept = tier === 'readme' ? '*.test.ts' : `*.${tier}.test.ts`
const others = tier === 'readme' ? ['**/*.full.test.ts', '**/*.nightly.test.ts'] : []
const never = ['**/node_modules/**', 'test/golden/cases/**', 'test/fixtures/**', 'examples/**']

const project = (name: string, folders: readonly string[], more: object = {}) => ({
  test: {
    name,
    include: folders.map(folder => `${folder}/**/${kept}`),
    exclude: [...never, ...others],
    ...more,
  },
})

export default defineConfig({
  test: {
    projects: [
      project('unit', ['shared', 'functions', 'local', 'cli', 'bench'], { testTimeout: 20_000 }),
      project('contract', ['test/contract'], { testTimeout: 60_000 }),
      project('property', ['test/property'], { testTimeout: 120_000 }),
      project('lifecycle', ['test/lifecycle'], { testTimeout: 60_000 }),
      project('verifier', ['test/verifier'], { testTimeout: 20_000 }),
      project('house', ['test/house'], { testTimeout: 60_000 }),
      project('integration', ['test/integration'], { testTimeout: 60_000, hookTimeout: 60_000 }),
      project('e2e', ['test/e2e'], {
        testTimeout: 240_000,
        hookTimeout: 120_000,
        fileParallelism: false,
      }),
    ],
  },
})
