/**
 * Plugins in the bucket. Functions without plugins download the required ones by checksum into
 * their scratch space, and reuse them. A plugin with other bytes is not run.
 */
import { execFileSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { delimiter, join, resolve } from 'node:path'
import { ListObjectsV2Command, PutObjectCommand } from '@aws-sdk/client-s3'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { awsVariables, bucketPrefixes } from '../../shared/config/aws-resource-names.ts'
import { createS3Client } from '../../shared/platform/aws/clients.ts'
import { type CloudPlace, createBundles, createCloudPlace } from './cloud-place.ts'
import { whenServed } from './when-served.ts'

const provider = resolve(import.meta.dirname, '..', 'golden', 'provider')
const key = {
  ...{ kind: 'resource', name: 'gold', version: '1.0.0' },
  ...{ os: process.platform, arch: process.arch },
}

whenServed('plugins of functions', ['DYNAMODB', 'SQS', 'S3', 'KMS'], settings => {
  let bundles: ReturnType<typeof createBundles>
  let place: CloudPlace | undefined
  beforeAll(() => {
    bundles = createBundles()
  })
  afterEach(async () => {
    await place?.remove()
    place = undefined
  }, 120_000)
  afterAll(() => bundles?.remove())

  /** Opens a place whose functions find no provider on the tool path. */
  async function openPlace(): Promise<CloudPlace> {
    const PATH = [resolve(provider, '../../../node_modules/node/bin'), '/usr/bin', '/bin']
    const made = await createCloudPlace('small', {
      ...{ aws: settings(), code: bundles.findBundle, sdk: 'above' },
      variables: { PATH: PATH.join(delimiter) },
    })
    place = made
    return made
  }

  async function push({ control }: CloudPlace): Promise<void> {
    const bytes = execFileSync('tar', ['-czf', '-', '-C', provider, '.'])
    await control.platform.plugins.put(key, bytes)
  }

  test('are downloaded once per environment when they are missing', {
    timeout: 300_000,
  }, async () => {
    const there = await openPlace()
    await push(there)
    for (const [command, delay] of [
      ['up', '0'],
      ['refresh', '0'],
      ['destroy', '0'],
    ] as const) {
      const end = await there.deploy(command, await there.upload({ DELAY: delay }), 200_000)
      expect(end.result, await there.readDiagnostics(end.deployment)).toBe('succeeded')
    }
    expect(there.listChanges().map(({ call }) => call)).toEqual(['create', 'delete'])
    const found = globSync(
      join(there.cloudFolder, '..', 'functions', '**', '.pulumi', 'plugins', 'resource-gold-v*'),
    )
    expect(found.length).toBeGreaterThan(0)
    for (const folder of found)
      expect(readFileSync(join(folder, 'main.js'))).toEqual(readFileSync(join(provider, 'main.js')))
  })

  test('with other bytes than uploaded are not run, and the deployment reports that', {
    timeout: 300_000,
  }, async () => {
    const there = await openPlace()
    await push(there)
    const s3 = createS3Client(settings())
    const Bucket = there.cloud.services.places(['bucket'], 'short')[awsVariables.bucket] ?? ''
    const listed = { Bucket, Prefix: bucketPrefixes.plugins }
    const { Contents: all = [] } = await s3.send(new ListObjectsV2Command(listed))
    const Key = all.find(({ Key: name = '' }) => name.endsWith('.blob'))?.Key
    await s3.send(new PutObjectCommand({ Bucket, Key, Body: 'something else' }))
    s3.destroy()
    const end = await there.deploy('up', await there.upload({}), 200_000)
    expect(end.result).toBe('failed')
    const diagnostics = await there.readDiagnostics(end.deployment)
    expect(diagnostics).toMatch(/gold.*does not have the checksum|does not have the checksum.*gold/)
    expect(there.listChanges()).toEqual([])
  })
})
