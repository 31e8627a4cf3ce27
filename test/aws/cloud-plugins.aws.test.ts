/**
 * Plugins in the bucket. A generator downloads a missing plugin into the bucket if its source is
 * allowed. Functions without plugins fetch the required ones by checksum into their scratch space,
 * and reuse them. A plugin with other bytes is not run. The host of a program's language comes from
 * the bucket too.
 */
import { execFileSync } from 'node:child_process'
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join, resolve } from 'node:path'
import { ListObjectsV2Command, PutObjectCommand } from '@aws-sdk/client-s3'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { createToken } from '../../shared/api/issue-token.ts'
import { awsVariables, bucketPrefixes } from '../../shared/config/aws-resource-names.ts'
import { outboundVariables } from '../../shared/config/outbound-variables.ts'
import { createS3Client } from '../../shared/platform/aws/clients.ts'
import { startHttpReceiver } from '../../shared/triggers/outbound/local-receiver.fixture.ts'
import { type CloudBundles, createBundles } from './cloud-bundles.ts'
import { type CloudSandbox, createCloudSandbox } from './cloud-sandbox.ts'
import { describeWithServices } from './describe-with-services.ts'

const provider = resolve(import.meta.dirname, '..', 'golden', 'provider')
const key = {
  kind: 'resource',
  name: 'gold',
  version: '1.0.0',
  os: process.platform,
  arch: process.arch,
}

/** A language host whose programs only print a greeting. */
const hostSource = `#!/usr/bin/env node
const modules = process.env.GOLD_NODE_PATH
const grpc = require(modules + '/@grpc/grpc-js')
const { LanguageRuntimeService: service } = require(modules + '/@pulumi/pulumi/proto/language_grpc_pb')
const replies = require(modules + '/@pulumi/pulumi/proto/language_pb')
const server = new grpc.Server()
const run = (_call, reply) => {
  console.log('nuqneH')
  reply(null, new replies.RunResponse())
}
const getRequiredPackages = (_call, reply) => reply(null, new replies.GetRequiredPackagesResponse())
server.addService(service, { run, getRequiredPackages })
server.bindAsync('127.0.0.1:0', grpc.ServerCredentials.createInsecure(), (_, port) => console.log(port))
process.on('SIGINT', () => process.exit(0))
`

/** Packs the archive of the language host. */
function packHost(): Uint8Array {
  const folder = mkdtempSync(join(tmpdir(), 'language-host-'))
  try {
    writeFileSync(join(folder, 'pulumi-language-klingon'), hostSource, { mode: 0o755 })
    return execFileSync('tar', ['-czf', '-', '-C', folder, '.'])
  } finally {
    rmSync(folder, { recursive: true })
  }
}

describeWithServices('plugins of functions', ['DYNAMODB', 'SQS', 'S3', 'KMS'], settings => {
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

  /** Opens a sandbox whose functions find no provider on the tool path. */
  async function openSandbox(): Promise<CloudSandbox> {
    const PATH = [resolve(provider, '../../../node_modules/node/bin'), '/usr/bin', '/bin']
    const createdSandbox = await createCloudSandbox('small', {
      aws: settings(),
      bundleOf: bundles.findBundle,
      sdk: 'above',
      variables: {
        PATH: PATH.join(delimiter),
        [outboundVariables.allowedNetworks]: '127.0.0.1/32',
        [outboundVariables.plainHttp]: '1',
      },
    })
    sandbox = createdSandbox
    return createdSandbox
  }

  const packPlugin = (): Uint8Array => execFileSync('tar', ['-czf', '-', '-C', provider, '.'])

  /** Starts a server with the plugin. The program's resource gets the address of the server. */
  async function servePlugin({ program }: CloudSandbox) {
    const receiver = await startHttpReceiver()
    const body = packPlugin()
    receiver.state.answer = () => ({ status: 200, body })
    const file = join(program, 'program.js')
    const options = JSON.stringify({ version: '1.0.0', pluginDownloadURL: receiver.origin })
    writeFileSync(file, readFileSync(file, 'utf8').replace('|| 0) })', `|| 0) }, ${options})`))
    return receiver
  }

  test('are downloaded into the environments that lack them, from an allowed source', {
    timeout: 300_000,
  }, async () => {
    const pluginSandbox = await openSandbox()
    const receiver = await servePlugin(pluginSandbox)
    const refused = await pluginSandbox.deploy('up', await pluginSandbox.upload({}), 200_000)
    expect(refused.result).toBe('failed')
    const diagnostics = await pluginSandbox.readDiagnostics(refused.deployment)
    expect(diagnostics).toContain(`antichain plugin allow '${receiver.origin}/gold'`)
    expect(receiver.received).toEqual([])
    const { platform } = pluginSandbox.control
    const { token } = await createToken(platform, { name: 'test', role: 'admin' })
    const allowed = await fetch(`${pluginSandbox.cloud.apiUrl}/v1/plugin-sources/gold`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${token}` },
      body: JSON.stringify({ source: `${receiver.origin}/*` }),
    })
    expect(allowed.status).toBe(200)
    for (const command of ['up', 'refresh', 'destroy'] as const) {
      const end = await pluginSandbox.deploy(command, await pluginSandbox.upload({}), 200_000)
      expect(end.result, await pluginSandbox.readDiagnostics(end.deployment)).toBe('succeeded')
    }
    receiver.close()
    expect(receiver.received).toHaveLength(1)
    expect(await platform.plugins.get(key)).toMatchObject({ source: `${receiver.origin}/gold` })
    expect(pluginSandbox.listChanges().map(({ call }) => call)).toEqual(['create', 'delete'])
    const pluginPaths = globSync(
      join(
        pluginSandbox.cloudFolder,
        '..',
        'functions',
        '**',
        '.pulumi',
        'plugins',
        'resource-gold-v*',
      ),
    )
    expect(pluginPaths.length).toBeGreaterThan(0)
    for (const folder of pluginPaths)
      expect(readFileSync(join(folder, 'main.js'))).toEqual(readFileSync(join(provider, 'main.js')))
    // A program of another language needs a host, which the bucket does not have at first.
    const project = join(pluginSandbox.program, 'Pulumi.yaml')
    writeFileSync(project, 'name: small\nruntime: klingon\n')
    const hostless = await pluginSandbox.deploy('up', await pluginSandbox.upload({}), 200_000)
    expect(hostless.result).toBe('failed')
    expect(await pluginSandbox.readDiagnostics(hostless.deployment)).toContain(
      "antichain plugin allow 'pulumi/klingon'",
    )
    await platform.plugins.put({ ...key, kind: 'language', name: 'klingon' }, packHost())
    const end = await pluginSandbox.deploy('up', await pluginSandbox.upload({}), 200_000)
    const output = await pluginSandbox.readDiagnostics(end.deployment)
    expect([end.result, output]).toEqual(['succeeded', expect.stringContaining('nuqneH')])
  })

  test('with other bytes than uploaded are not run, and the deployment reports that', {
    timeout: 300_000,
  }, async () => {
    const pluginSandbox = await openSandbox()
    await pluginSandbox.control.platform.plugins.put(key, packPlugin())
    const s3 = createS3Client(settings())
    const Bucket =
      pluginSandbox.cloud.services.resourceVariables(['bucket'], 'short')[awsVariables.bucket] ?? ''
    const listRequest = { Bucket, Prefix: bucketPrefixes.plugins }
    const { Contents: all = [] } = await s3.send(new ListObjectsV2Command(listRequest))
    const Key = all.find(({ Key: name = '' }) => name.endsWith('.blob'))?.Key
    await s3.send(new PutObjectCommand({ Bucket, Key, Body: 'something else' }))
    s3.destroy()
    const end = await pluginSandbox.deploy('up', await pluginSandbox.upload({}), 200_000)
    expect(end.result).toBe('failed')
    const diagnostics = await pluginSandbox.readDiagnostics(end.deployment)
    expect(diagnostics).toMatch(/gold.*does not have the checksum|does not have the checksum.*gold/)
    expect(pluginSandbox.listChanges()).toEqual([])
  })
})
