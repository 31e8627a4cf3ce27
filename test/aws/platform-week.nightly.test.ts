/**
 * Runs docs/platform.md in the local cloud. A test provider replaces the provider of AWS, and a
 * server on loopback replaces GitHub.
 */
import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join, resolve } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createToken } from '../../shared/api/issue-token.ts'
import { outboundVariables } from '../../shared/config/outbound-variables.ts'
import { stackIdOf } from '../../shared/records/ids.ts'
import {
  createPullRequestBody,
  createPushBody,
  sendWebhookDelivery,
  type GithubHost,
  signDelivery,
  startGithubHost,
} from '../e2e/github-host.ts'
import {
  createOutputPattern,
  type PageStep,
  parsePageSteps,
  runPageSteps,
} from '../e2e/run-page.ts'
import { createSandbox, launcher, requireSuccess, type Sandbox, waitUntil } from '../e2e/sandbox.ts'
import { type CloudBundles, createBundles } from './cloud-bundles.ts'
import { type CloudSandbox, createCloudSandbox } from './cloud-sandbox.ts'
import { downloadWheels } from './python-wheels.ts'
import { describeWithServices } from './describe-with-services.ts'

const page = readFileSync(resolve(import.meta.dirname, '../../docs/platform.md'), 'utf8')
const sdkModules = resolve(import.meta.dirname, '../fixtures/sdk/node_modules')
const nodeFolder = resolve(import.meta.dirname, '../../node_modules/node/bin')
const goldMain = resolve(import.meta.dirname, '../golden/provider/main.js')
const webhookSecret = 'a secret of sixteen characters'
const hostCredential = 'ghs_credential'
const stack = stackIdOf('reports', 'dev')

/** Returns the steps of a section, by the beginning of its heading. */
function readSection(heading: string): readonly PageStep[] {
  const section = page.split(/^## /m).find(text => text.startsWith(heading))
  if (section === undefined) throw new Error(`the page has no section '${heading}'`)
  return parsePageSteps(section)
}

/** The package of the provider of AWS, as far as the page uses it. */
const awsPackage = {
  'pulumi_aws/__init__.py': 'from . import s3\n',
  'pulumi_aws/s3.py': `import pulumi


class Bucket(pulumi.CustomResource):
    def __init__(self, name, tags=None, opts=None):
        super().__init__("aws:s3/bucket:Bucket", name, {"tags": tags}, opts)
`,
  'pulumi_aws/pulumi-plugin.json': '{"resource":true,"name":"aws","version":"7.0.0"}\n',
  'pulumi_aws-7.0.0.dist-info/METADATA':
    'Metadata-Version: 2.1\nName: pulumi-aws\nVersion: 7.0.0\n',
  'pulumi_aws-7.0.0.dist-info/WHEEL':
    'Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n',
  'pulumi_aws-7.0.0.dist-info/RECORD': '',
}

/** Writes executable files. Returns their folder. */
function writeCommands(folder: string, commands: Readonly<Record<string, string>>): string {
  mkdirSync(folder, { recursive: true })
  for (const [name, text] of Object.entries(commands)) {
    writeFileSync(join(folder, name), text)
    chmodSync(join(folder, name), 0o755)
  }
  return folder
}

/** Packs the package of the provider of AWS as a wheel. Returns its folder. */
function writeAwsWheel(folder: string): string {
  for (const [path, text] of Object.entries(awsPackage)) {
    mkdirSync(join(folder, path, '..'), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  const file = 'pulumi_aws-7.0.0-py3-none-any.whl'
  const args = ['-m', 'zipfile', '-c', file, 'pulumi_aws', 'pulumi_aws-7.0.0.dist-info']
  execFileSync('python3', args, { cwd: folder })
  return folder
}

/** Changes the tags of the bucket at the provider, as a person in a console does. */
function changeBucketTags({ cloudFolder }: Pick<CloudSandbox, 'cloudFolder'>): void {
  const folder = join(cloudFolder, 'objects')
  for (const name of readdirSync(folder)) {
    const object = JSON.parse(readFileSync(join(folder, name), 'utf8')) as { props: object }
    const props = { ...object.props, tags: { team: 'sales' } }
    writeFileSync(join(folder, name), JSON.stringify({ ...object, props }))
  }
}

describeWithServices(
  'docs/platform.md',
  ['DYNAMODB', 'SQS', 'S3', 'KMS', 'SCHEDULER'],
  settings => {
    let bundles: CloudBundles | undefined
    let sandbox: CloudSandbox | undefined
    let client: Sandbox
    let github: GithubHost
    let variables: Readonly<Record<string, string>> = {}
    const root = mkdtempSync(join(tmpdir(), 'antichain-week-'))

    beforeAll(async () => {
      bundles = await createBundles()
      client = createSandbox(undefined, { sdk: false })
      github = await startGithubHost(hostCredential)
      const plugin = `#!/bin/sh\nexec "$GOLD_NODE" '${goldMain}' aws "$@"\n`
      const plugins = writeCommands(join(root, 'plugins'), { 'pulumi-resource-aws': plugin })
      const wheels = [downloadWheels(), writeAwsWheel(join(root, 'wheels'))].join(' ')
      sandbox = await createCloudSandbox('small', {
        aws: settings(),
        bundleOf: bundles.findBundle,
        sdk: 'above',
        settings: { 'antichain:inlineMax': '8' },
        variables: {
          PATH: [plugins, nodeFolder, '/usr/local/bin', '/usr/bin', '/bin'].join(delimiter),
          PIP_NO_INDEX: '1',
          PIP_FIND_LINKS: wheels,
          [outboundVariables.allowedNetworks]: '127.0.0.1/32',
          [outboundVariables.plainHttp]: '1',
        },
      })
      const { token } = await createToken(sandbox.control.platform, { name: 'ops', role: 'admin' })
      // The policy pack gets its packages from the fixtures, because the test uses no network.
      const npm = `#!/bin/sh\ncp -rL '${sdkModules}' node_modules\n`
      const commands = writeCommands(join(root, 'commands'), { npm })
      symlinkSync(launcher, join(commands, 'antichain'))
      const path = client.createEnvironment()['PATH'] ?? ''
      variables = {
        PATH: `${commands}${delimiter}${path}`,
        ADDRESS: sandbox.cloud.apiUrl,
        TOKEN: token,
        SECRETS_KEY: sandbox.keyUrl,
        GITHUB_API: github.origin,
        ANTICHAIN_SECRET: webhookSecret,
        ANTICHAIN_CREDENTIAL: hostCredential,
        ANTICHAIN_KMS_ENDPOINT: settings().endpoints.KMS ?? '',
      }
    }, 240_000)
    afterAll(async () => {
      github?.close()
      client?.remove()
      await sandbox?.remove()
      bundles?.remove()
      rmSync(root, { recursive: true, force: true })
    }, 120_000)

    /** Runs steps, compares every shown output, and returns the outputs. */
    async function run(
      steps: readonly PageStep[],
      extraVariables: Readonly<Record<string, string>> = {},
    ): Promise<readonly string[]> {
      const outputs = await runPageSteps(client, steps, { ...variables, ...extraVariables }).catch(
        (thrown: unknown) => {
          throw new Error(sandbox?.readLog(), { cause: thrown })
        },
      )
      const commands = steps.filter(step => step.kind === 'command')
      expect(outputs).toHaveLength(commands.length)
      for (const [index, { command, output }] of commands.entries())
        expect(outputs[index], command).toMatch(createOutputPattern(output))
      return outputs
    }

    /** Runs a schedule of all stacks within a minute, and waits for its findings. */
    async function detectDriftNow({ readLog }: CloudSandbox): Promise<void> {
      const due = new Date(Date.now() + 40_000).toISOString().slice(0, 19)
      const create = ['schedule', 'create', 'now', '--all', '--when', `at(${due})`]
      requireSuccess(await client.run(create, { env: variables }))
      const hasFindings = async (): Promise<boolean> => {
        const { out } = await client.run(['drift', 'ls', '--drifted', '--json'], { env: variables })
        return out.includes('reports')
      }
      await waitUntil(hasFindings, { condition: `drift: ${readLog()}`, limitMs: 240_000 })
    }

    /** Returns the files of the program, as the repository has them. */
    const readProgram = (): Readonly<Record<string, string>> =>
      Object.fromEntries(
        ['Pulumi.yaml', 'Pulumi.dev.yaml', 'requirements.txt', '__main__.py'].map(name => [
          name,
          readFileSync(join(client.program, name), 'utf8'),
        ]),
      )

    test('each day of the page works as it is written', { timeout: 1_200_000 }, async () => {
      if (sandbox === undefined) return expect.unreachable()
      const { control, listObjects, cloud } = sandbox
      const send = async (event: string, payload: object): Promise<string> => {
        const delivery = signDelivery(webhookSecret, event, payload)
        const { status, body } = await sendWebhookDelivery(`${cloud.webhookUrl}main`, delivery)
        expect([status, body]).toMatchObject([202, { kind: 'accepted' }])
        const [request] = body['asked'] as { request: string }[]
        return request?.request ?? ''
      }
      const listTags = (): readonly unknown[] => listObjects().map(({ props }) => props['tags'])

      await run(readSection('Monday'))
      await run(readSection('Tuesday'))
      expect(listTags()).toEqual([{ team: 'data' }])

      const rules = await run(readSection('Wednesday'))
      expect(rules.join('')).toContain('set the tag `owner`')
      expect(listTags()).toEqual([{ team: 'data', owner: 'ana' }])

      const thursday = readSection('Thursday')
      const approvalIndex = thursday.findIndex(
        step => step.kind === 'command' && step.command.includes('approvals'),
      )
      await run(thursday.slice(0, approvalIndex))
      const merged = { ...readProgram() }
      merged['__main__.py'] = (merged['__main__.py'] ?? '').replace('ana', 'ben')
      const commit = github.commit(merged)
      const preview = await send('pull_request', createPullRequestBody(7, commit))
      expect(await control.awaitEnd(stack, preview, 240_000)).toMatchObject({ kind: 'previewed' })
      await waitUntil(() => github.listComments().size === 1, { condition: 'the comment' })
      expect([...github.listComments().values()].join()).toContain('reports')
      const request = await send('push', createPushBody(commit))
      await control.awaitEnd(stack, request, 240_000)
      expect(listTags()).toEqual([{ team: 'data', owner: 'ana' }])
      const decided = await run(thursday.slice(approvalIndex), { REQUEST: request })
      expect(decided[0]).toContain(request)
      await waitUntil(() => JSON.stringify(listTags()).includes('ben'), {
        condition: 'the approved change',
        limitMs: 240_000,
      })

      const friday = readSection('Friday')
      const driftListIndex = friday.findIndex(
        step => step.kind === 'command' && step.command.includes('drift ls'),
      )
      await run(friday.slice(0, driftListIndex))
      changeBucketTags(sandbox)
      await detectDriftNow(sandbox)
      await run(friday.slice(driftListIndex))
      const bill = await run(readSection('And the bill'))
      expect(bill.join('')).toMatch(/\$0\.\d+/)
      await run(readSection('At the end'))
      expect(listObjects()).toEqual([])
    })
  },
)
