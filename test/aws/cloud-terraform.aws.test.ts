/**
 * A Terraform provider in functions. Its package is in the bucket, as that of every plugin. The
 * functions download it, start it and record its resources.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import {
  formatStoredName,
  parseSourceAddress,
} from '../../shared/providers/terraform/install/source-address.ts'
import { packZip } from '../../shared/providers/terraform/install/zip.fixture.ts'
import { buildTestProvider } from '../tfgolden/build-provider.ts'
import { type CloudBundles, createBundles } from './cloud-bundles.ts'
import { type CloudSandbox, createCloudSandbox } from './cloud-sandbox.ts'
import { describeWithServices } from './describe-with-services.ts'

const services = ['DYNAMODB', 'SQS', 'S3', 'KMS'] as const

describeWithServices('a Terraform provider in functions', services, settings => {
  let bundles: CloudBundles
  let sandbox: CloudSandbox | undefined
  beforeAll(async () => {
    bundles = await createBundles()
  })
  afterEach(async () => {
    await sandbox?.remove()
    sandbox = undefined
  }, 120_000)
  afterAll(() => bundles?.remove())

  const push = async ({ control }: CloudSandbox): Promise<void> => {
    const name = 'terraform-provider-tfgold'
    const content = readFileSync(join(buildTestProvider(), name))
    await control.platform.plugins.put(
      {
        kind: 'terraform',
        name: formatStoredName(parseSourceAddress('localhost/golden/tfgold')),
        version: '1.0.0',
        os: process.platform,
        arch: process.arch,
      },
      packZip([{ name, content }]),
    )
  }

  test('creates, updates, refreshes and deletes its resources, and seals their secrets', {
    timeout: 400_000,
  }, async () => {
    const opened = await createCloudSandbox('terraform', {
      aws: settings(),
      bundleOf: bundles.findBundle,
    })
    sandbox = opened
    await push(opened)
    const readValue = (id: string): unknown =>
      JSON.parse(readFileSync(join(opened.cloudFolder, 'objects', `${id}.json`), 'utf8')).attrs
        .value
    for (const [command, VALUE] of [
      ['up', 'one'],
      ['up', 'two'],
      ['refresh', 'two'],
    ] as const) {
      const end = await opened.deploy(command, await opened.upload({ VALUE }), 200_000)
      expect(end.result, await opened.readDiagnostics(end.deployment)).toBe('succeeded')
      expect(readValue('first-1')).toBe(VALUE)
      expect(readValue('second-1')).toBe('arn::first-1')
    }
    const state = await opened.exportState()
    expect(state).toContain('tfgold:index/thing:Thing')
    expect(state).not.toContain('hidden-text')
    const end = await opened.deploy('destroy', await opened.upload({ VALUE: 'two' }), 200_000)
    expect(end.result, await opened.readDiagnostics(end.deployment)).toBe('succeeded')
    expect(opened.listObjects()).toEqual([])
  })
})
