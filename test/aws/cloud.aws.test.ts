/**
 * The local cloud: bundled functions as separate processes, connected only by the services and the
 * provider's cloud.
 */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { BlobHash } from '../../shared/records/ids.ts'
import type { Command } from '../../shared/records/log.ts'
import { type ExportedState, readExport } from '../e2e/exported-state.ts'
import { type CloudPlace, createBundles, createCloudPlace } from './cloud-place.ts'
import { secretText } from './stack-file.ts'
import { whenServed } from './when-served.ts'

whenServed('local cloud', ['DYNAMODB', 'SQS', 'S3', 'KMS'], settings => {
  let bundles: ReturnType<typeof createBundles>
  beforeAll(() => {
    bundles = createBundles()
  })
  afterAll(() => bundles?.remove())

  describe('a program with many features', () => {
    let place: CloudPlace
    beforeEach(async () => {
      place = await createCloudPlace('shop', { aws: settings(), code: bundles.findBundle })
    })
    afterEach(() => place?.remove(), 120_000)

    test('is created, updated, refreshed and destroyed by bundled functions', {
      timeout: 600_000,
    }, async () => {
      const first = await place.upload({ STEP: '1' })
      const second = await place.upload({ STEP: '2' })
      const made = await deployStep('up', first)
      expect(idsOf(place)).toEqual(['database-1', 'old-1', 'page-1', 'server-1'])
      expect(made.resources.map(({ name }) => name)).toContain('note')
      await deployStep('up', second)
      expect(idsOf(place)).toEqual(['database-1', 'new-1', 'page-1', 'server-2'])
      const refreshed = await deployStep('refresh', second)
      expect(refreshed.resources.map(({ id }) => id)).toContain('server-2')
      const gone = await deployStep('destroy', second)
      expect(gone.resources).toEqual([])
      expect(idsOf(place)).toEqual([])
      const changes = place
        .listChanges()
        .map(({ call, urn }) => `${call} ${urn.split('::').at(-1)}`)
      expect(changes.toSorted()).toEqual(
        [
          ...['create database', 'create old', 'create page', 'create server'],
          ...['create new', 'create server', 'delete old', 'delete server', 'update page'],
          ...['delete database', 'delete new', 'delete page', 'delete server'],
        ].toSorted(),
      )
      expect(place.readLog()).not.toContain(secretText)
      const folds = place.calls.filter(({ name }) => name === 'compaction')
      expect(folds.map(({ outcome }) => outcome.kind)).toEqual(Array(4).fill('answered'))
      expect(place.readLog()).not.toContain('compaction.uncalled')
    })

    /**
     * Runs a deployment that must succeed, and returns its state after checking that no secret is
     * in plaintext.
     */
    async function deployStep(command: Command, program: BlobHash): Promise<ExportedState> {
      const end = await place.deploy(command, program, 240_000)
      expect(end.result, await place.readDiagnostics(end.deployment)).toBe('succeeded')
      const text = await place.exportState()
      expect(text).not.toContain(secretText)
      return readExport(text)
    }
  })
})

whenServed('a generator that parks', ['DYNAMODB', 'SQS', 'S3', 'KMS'], settings => {
  let bundles: ReturnType<typeof createBundles>
  let place: CloudPlace
  beforeAll(async () => {
    bundles = createBundles()
    const limitMs = { 'step-generator': 30_000 }
    place = await createCloudPlace('many', { aws: settings(), code: bundles.findBundle, limitMs })
  })
  afterAll(async () => {
    await place?.remove()
    bundles?.remove()
  }, 120_000)

  test('reports that, and does not report the end of its program', {
    timeout: 400_000,
  }, async () => {
    const program = await place.upload({ COUNT: '3', DELAY: '25000' })
    const end = await place.deploy('up', program, 300_000)
    const diagnostics = await place.readDiagnostics(end.deployment)
    expect(end.result, diagnostics).toBe('succeeded')
    expect(diagnostics).toContain('Generator 1 ')
    expect(diagnostics).not.toMatch(/SIGKILL|bug of the plugin|"severity":"error"/)
  })
})

function idsOf(place: CloudPlace): readonly string[] {
  return place
    .listObjects()
    .map(({ id }) => id)
    .toSorted()
}
