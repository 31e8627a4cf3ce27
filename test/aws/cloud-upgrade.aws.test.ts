/**
 * An upgrade of the installation in the middle of a deployment. Calls in progress and tasks of the
 * long pool finish with the old code, and the new code does the rest.
 */
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import type { FunctionRow } from '../../infra/function-row.ts'
import { waitUntil } from '../e2e/sandbox.ts'
import { parseExport } from '../e2e/exported-state.ts'
import { type CloudBundles, createBundles } from './cloud-bundles.ts'
import { type CloudSandbox, createCloudSandbox } from './cloud-sandbox.ts'
import { describeWithServices } from './describe-with-services.ts'

const loadedMessage = 'the new code was loaded'

describeWithServices('an upgrade', ['DYNAMODB', 'SQS', 'S3', 'KMS'], settings => {
  let bundles: CloudBundles
  let newBundles: CloudBundles
  let sandbox: CloudSandbox | undefined
  beforeAll(async () => {
    bundles = await createBundles()
    newBundles = createMarkedBundles(bundles.findBundle)
  })
  afterEach(() => sandbox?.remove(), 120_000)
  afterAll(() => {
    bundles?.remove()
    newBundles?.remove()
  })

  test.each([
    ['functions', 'many', { COUNT: '40', DELAY: '1500' }, 40],
    ['a task of the long pool', 'patient', {}, 2],
  ] as const)(
    'while %s run: they finish, and the new code completes the deployment',
    { timeout: 400_000 },
    async (_name, fixture, variables, createCount) => {
      const upgraded = await createCloudSandbox(fixture, {
        aws: settings(),
        bundleOf: bundles.findBundle,
      })
      sandbox = upgraded
      const deployment = upgraded.deploy('up', await upgraded.upload(variables), 240_000)
      await waitUntil(() => upgraded.listChanges().length > 0, { condition: 'a provider call' })
      const callsBefore = upgraded.calls.length
      upgraded.cloud.upgrade(newBundles.findBundle)
      const end = await deployment
      expect(end.result, await upgraded.readDiagnostics(end.deployment)).toBe('succeeded')
      // No call is lost or repeated: each object was created once.
      const creates = upgraded.listChanges().map(({ call, urn }) => `${call} ${urn}`)
      expect(new Set(creates).size).toBe(createCount)
      expect(creates).toHaveLength(createCount)
      const callsAfter = upgraded.calls.slice(callsBefore)
      expect(callsAfter.map(({ outcome }) => outcome.kind)).not.toContain('died')
      expect(upgraded.readLog()).toContain(loadedMessage)
      const resources = parseExport(await upgraded.exportState()).resources
      expect(resources.filter(({ id }) => id !== undefined).length).toBeGreaterThanOrEqual(
        createCount,
      )
    },
  )
})

/** Creates bundles whose code reports that it was loaded. */
function createMarkedBundles(findBundle: (row: FunctionRow) => string | undefined): CloudBundles {
  const folder = mkdtempSync(join(tmpdir(), 'antichain-upgrade-'))
  return {
    findBundle: row => {
      const oldFolder = findBundle(row)
      if (oldFolder === undefined) return undefined
      const newFolder = join(folder, row.name)
      if (existsSync(newFolder)) return newFolder
      cpSync(oldFolder, newFolder, { recursive: true })
      for (const name of ['main.mjs', 'long.mjs']) {
        const file = join(newFolder, name)
        if (!existsSync(file)) continue
        writeFileSync(file, `console.log('${loadedMessage}')\n${readFileSync(file, 'utf8')}`)
      }
      return newFolder
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}
