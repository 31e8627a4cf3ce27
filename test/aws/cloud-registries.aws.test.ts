/**
 * Programs in the local cloud whose packages exist only in a private registry, which requires a
 * token. The command line stores the registry in the installation.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createToken } from '../../shared/api/issue-token.ts'
import { createPushBody, repository } from '../e2e/github-host.ts'
import { createSandbox, requireSuccess, type Sandbox } from '../e2e/sandbox.ts'
import { describeWithServices } from './describe-with-services.ts'
import { listStoredBytes } from './list-stored-bytes.ts'
import {
  createPrivateManifests,
  createPythonIndex,
  npmArchivePath,
  packNpmPackage,
  privatePackage,
  privateRequirement,
  type PrivateRegistry,
  startPrivateRegistry,
} from './private-registry.ts'
import { createSecretFinder } from './secret-finder.ts'
import { type CloudBundles, createBundles } from './cloud-bundles.ts'
import { type CloudSandbox, createCloudSandbox } from './cloud-sandbox.ts'
import { downloadWheels, pythonSdk } from './python-wheels.ts'
import {
  createSiteRepository,
  createWebhookSandbox,
  type WebhookSandbox,
} from './webhook-sandbox.ts'

const token = 'npm_private0123456789token'
const wrongToken = 'npm_expired9876543210token'
const services = ['DYNAMODB', 'SQS', 'S3', 'KMS', 'SCHEDULER'] as const

describeWithServices('private package registries', [...services], settings => {
  const archive = packNpmPackage()
  let registry: PrivateRegistry
  let webhook: WebhookSandbox
  let client: Sandbox
  beforeAll(async () => {
    registry = await startPrivateRegistry(`Bearer ${token}`, new Map([[npmArchivePath, archive]]))
    webhook = await createWebhookSandbox(settings(), stack => [
      { on: 'push', repository, stack, folder: 'infra', branches: ['main'] },
    ])
    client = createSandbox(undefined, { sdk: false })
    const { control, cloud } = webhook.sandbox
    const admin = await createToken(control.platform, { name: 'admin', role: 'admin' })
    const env = { ANTICHAIN_TOKEN: admin.token }
    requireSuccess(await client.run(['login', cloud.apiUrl], { env }))
  }, 120_000)
  afterAll(async () => {
    client?.remove()
    await webhook?.remove()
    registry?.close()
  }, 120_000)

  /** Stores the registry by the command line. */
  const setRegistry = async (credential?: string) => {
    const args = ['registry', 'set', 'corp', `${registry.origin}/npm`, '--scope', '@corp']
    const env = credential === undefined ? {} : { ANTICHAIN_CREDENTIAL: credential }
    return requireSuccess(await client.run(args, { env }))
  }

  /** Deploys a program that requires the private package. */
  const deploy = async (value: number) => {
    const { 'infra/dep.tgz': _, ...files } = createSiteRepository(value, webhook.sandbox.stackFile)
    const commit = webhook.github.commit({
      ...files,
      ...createPrivateManifests('infra', { origin: registry.origin, archive }),
      'infra/index.js': String(files['infra/index.js']).replace("'dep'", `'${privatePackage}'`),
    })
    return webhook.sendAndAwait('push', createPushBody(commit))
  }

  test('without a token fail the deployment, and the error names the registry and the command', async () => {
    expect(await deploy(1)).toMatchObject({
      kind: 'refused',
      code: 'INSTALL_FAILED',
      message: expect.stringContaining(
        `the package registry ${registry.origin} answered with status 401 for ${registry.origin}${npmArchivePath}`,
      ) as string,
      hint: `Let an administrator set ANTICHAIN_CREDENTIAL to its token, and run \`antichain registry set <name> ${registry.origin}/npm/ --scope @corp\`.`,
    })
    await setRegistry()
    const unauthorized = await deploy(1)
    await setRegistry(wrongToken)
    const refused = await deploy(1)
    const command = `registry set corp ${registry.origin}/npm --scope @corp`
    const message = expect.stringContaining('the package registry corp (') as string
    const hintOf = (text: string): string =>
      `Let an administrator set ANTICHAIN_CREDENTIAL to ${text}, and run \`antichain ${command}\`.`
    expect([unauthorized, refused]).toMatchObject([
      { code: 'INSTALL_FAILED', message, hint: hintOf('its token') },
      { code: 'INSTALL_FAILED', message, hint: hintOf('a valid token') },
    ])
    expect(registry.authorizations).toContain(`Bearer ${wrongToken}`)
    expect(webhook.sandbox.listObjects()).toEqual([])
  }, 300_000)

  test('serve a deployment with the stored token', async () => {
    await setRegistry(token)
    const end = await deploy(2)
    expect(end, webhook.sandbox.readLog()).toMatchObject({ result: 'succeeded' })
    expect(registry.responses).toContain(`200 ${npmArchivePath}`)
    expect(webhook.sandbox.listObjects()).toMatchObject([{ props: { value: 2 } }])
  }, 300_000)

  test('leave no token in records, objects, messages, logs and files', async () => {
    const finder = createSecretFinder({ token, wrongToken })
    const { cloud, readLog, program } = webhook.sandbox
    const stored = await listStoredBytes(settings(), cloud.services)
    const files = listFiles(dirname(program)).map(location => ({
      location,
      bytes: readFileSync(location),
    }))
    expect(files.length).toBeGreaterThan(10)
    const log = { location: 'log', bytes: Buffer.from(readLog()) }
    const found = [...stored, ...files, log].flatMap(({ location, bytes }) =>
      [...finder.findIn(bytes)].map(name => `${location}: ${name}`),
    )
    expect(found).toEqual([])
    // The registry itself is stored, and the command line shows it without its token.
    const listed = requireSuccess(await client.run(['registry', 'ls', '--json'])).out
    expect(JSON.parse(listed)).toMatchObject([{ name: 'corp', value: { hasCredential: true } }])
    expect(listed).not.toContain(token)
    const addressFinder = createSecretFinder({ address: `${registry.origin}/npm` })
    expect(stored.some(({ bytes }) => addressFinder.findIn(bytes).size > 0)).toBe(true)
  }, 60_000)
})

describeWithServices(
  'a private index of Python packages',
  ['DYNAMODB', 'SQS', 'S3', 'KMS'],
  settings => {
    const authorization = `Basic ${Buffer.from(`__token__:${token}`).toString('base64')}`
    let registry: PrivateRegistry
    let bundles: CloudBundles
    let sandbox: CloudSandbox
    let client: Sandbox
    beforeAll(async () => {
      registry = await startPrivateRegistry(authorization, createPythonIndex(downloadWheels()))
      bundles = await createBundles()
      sandbox = await createCloudSandbox('small', {
        aws: settings(),
        bundleOf: bundles.findBundle,
        settings: { 'antichain:inlineMax': '8' },
        files: {
          'Pulumi.yaml': 'name: small\nruntime: python\n',
          '__main__.py':
            'import corp_dep\nimport pulumi\n\npulumi.export("value", corp_dep.VALUE)\n',
          'requirements.txt': `${pythonSdk}\n${privateRequirement}\n`,
        },
      })
      client = createSandbox(undefined, { sdk: false })
      const admin = await createToken(sandbox.control.platform, { name: 'admin', role: 'admin' })
      const env = { ANTICHAIN_TOKEN: admin.token }
      requireSuccess(await client.run(['login', sandbox.cloud.apiUrl], { env }))
    }, 120_000)
    afterAll(async () => {
      client?.remove()
      await sandbox?.remove()
      bundles?.remove()
      registry?.close()
    }, 120_000)

    test('needs the stored token, without which the command line shows the registry and the command', async () => {
      const setRegistry = async (env: Readonly<Record<string, string>>) => {
        const args = ['registry', 'set', 'python', `${registry.origin}/simple`, '--manager', 'pip']
        requireSuccess(await client.run(args, { env }))
      }
      const up = () => client.run(['-C', sandbox.program, 'up', '--yes', '--skip-preview'])
      requireSuccess(await client.run(['-C', sandbox.program, 'stack', 'select', 'dev']))
      await setRegistry({})
      const refused = await up()
      expect(refused.exit).toBe(1)
      expect(refused.err).toContain('INSTALL_FAILED')
      expect(refused.err).toContain('the package registry python (')
      expect(refused.err).toContain(`--manager pip\``)
      await setRegistry({ ANTICHAIN_CREDENTIAL: token })
      const deployed = await up()
      expect(deployed.exit, deployed.err + sandbox.readLog()).toBe(0)
      const output = await client.run(['-C', sandbox.program, 'stack', 'output', 'value'])
      expect(output.out).toBe('7\n')
      const finder = createSecretFinder({ token })
      const stored = await listStoredBytes(settings(), sandbox.cloud.services)
      expect(stored.flatMap(({ bytes }) => [...finder.findIn(bytes)])).toEqual([])
      expect([...finder.findIn(Buffer.from(sandbox.readLog() + deployed.err))]).toEqual([])
    }, 300_000)
  },
)

/** Returns the regular files below a folder. */
function listFiles(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
}
