import { afterEach, expect, test } from 'vitest'
import { describeWithCommands } from '../e2e/toolchains.ts'
import { requireSuccess } from '../e2e/sandbox.ts'
import { buildPulumiCli, cliVersions } from './build-cli.ts'
import { openStockClient, type StockClient } from './stock-client.ts'

let client: StockClient | undefined

afterEach(async () => {
  await client?.remove()
  client = undefined
})

describeWithCommands("Pulumi's own command line", [['go', 'version']], () => {
  test.each(cliVersions.slice(0, 1))(
    '%s: a client logs in, deploys and destroys a stack, and removes it',
    async version => {
      client = await openStockClient(buildPulumiCli(version))
      const { pulumi, sandbox, antichain } = client
      requireSuccess(await pulumi(['login', client.url]))
      expect(requireSuccess(await pulumi(['whoami'])).out.trim()).toBe('admin')
      requireSuccess(await pulumi(['stack', 'init', 'dev']))
      expect((await pulumi(['stack', 'init', 'dev'])).err).toContain('already exists')
      requireSuccess(await pulumi(['up', '--yes']))
      expect(sandbox.listObjects()).toHaveLength(1)
      // Both command lines show the same state, and the same history.
      const exported = requireSuccess(await pulumi(['stack', 'export'])).out
      expect(JSON.parse(exported)).toEqual(JSON.parse(await sandbox.exportState()))
      const history = requireSuccess(
        await antichain(['stack', 'history', '-s', 'dev', '--json']),
      ).out
      expect(JSON.parse(history)).toMatchObject([
        { kind: 'update', result: 'succeeded', resourceChanges: { create: 2 } },
      ])
      requireSuccess(await pulumi(['up', '--yes', '--expect-no-changes']))
      expect((await pulumi(['stack', 'rm', '--yes', 'dev'])).exit).not.toBe(0)
      requireSuccess(await pulumi(['destroy', '--yes']))
      expect(sandbox.listObjects()).toEqual([])
      requireSuccess(await pulumi(['stack', 'rm', '--yes', 'dev']))
      expect(requireSuccess(await pulumi(['stack', 'ls'])).out).not.toContain('dev')
    },
    900_000,
  )
})
