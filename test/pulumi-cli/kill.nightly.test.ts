import fc from 'fast-check'
import { expect, test } from 'vitest'
import { describeWithCommands } from '../e2e/toolchains.ts'
import { requireSuccess, waitUntil } from '../e2e/sandbox.ts'
import { buildPulumiCli, cliVersions } from './build-cli.ts'
import { openStockClient } from './stock-client.ts'

/** ANTICHAIN_SEED repeats the kills of an earlier run. The test names contain the seed. */
const seed = Number(process.env['ANTICHAIN_SEED'] ?? Date.now() % 2 ** 31)
const rounds = Number(process.env['ANTICHAIN_KILL_ROUNDS'] ?? 50)
const [cliVersion] = cliVersions

const kills = fc.sample(
  fc.record({
    target: fc.constantFrom('client' as const, 'server' as const),
    objects: fc.integer({ min: 0, max: 40 }),
  }),
  { seed, numRuns: rounds },
)

interface ExportedState {
  /** Null before the first update of the stack. */
  readonly deployment: {
    readonly resources?: readonly { readonly id?: string }[]
    readonly pending_operations?: readonly { readonly resource: { readonly urn: string } }[]
  } | null
}

describeWithCommands("random kills around Pulumi's command line", [['go', 'version']], () => {
  test.each(kills)(
    `seed ${seed}: a kill of the $target after $objects creates loses no object`,
    async ({ target, objects }) => {
      const client = await openStockClient(buildPulumiCli(cliVersion), 'many')
      const { pulumi, startPulumi, sandbox } = client
      try {
        requireSuccess(await pulumi(['stack', 'init', 'dev']))
        const up = startPulumi(['up', '--yes', '--skip-preview'])
        let hasEnded = false
        void up.done.then(() => {
          hasEnded = true
        })
        const isReached = (): boolean => hasEnded || sandbox.listObjects().length >= objects
        await waitUntil(isReached, { condition: `${objects} objects`, limitMs: 120_000 })
        if (target === 'server') {
          await client.restartServer()
          requireSuccess(await up.done)
        } else {
          if (!hasEnded) up.kill('SIGKILL', 'group')
          await up.done
          await pulumi(['cancel', '--yes'])
        }
        const { deployment } = JSON.parse(await sandbox.exportState()) as ExportedState
        const knownIds = new Set(deployment?.resources?.map(({ id }) => id))
        const pendingNames = (deployment?.pending_operations ?? []).map(
          ({ resource }) => resource.urn.split('::').at(-1) ?? '',
        )
        // The id of an object begins with the name of its resource.
        const lostIds = sandbox
          .listObjects()
          .map(({ id }) => id)
          .filter(id => !knownIds.has(id) && !pendingNames.some(name => id.startsWith(`${name}-`)))
        expect(lostIds).toEqual([])
      } finally {
        await client.remove()
      }
    },
    600_000,
  )
})
