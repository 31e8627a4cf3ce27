/**
 * Programs of repositories whose packages have scripts, in the local cloud. The scripts run in the
 * installer, which has an environment of its own for each installation.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { awsVariables } from '../../shared/config/aws-resource-names.ts'
import { createProgramFolders } from '../../shared/runtime/programs/program-folder.ts'
import { createPushBody, repository } from '../e2e/github-host.ts'
import { waitUntil } from '../e2e/sandbox.ts'
import { describeWithServices } from './describe-with-services.ts'
import {
  awaitRequest,
  createSiteRepository,
  createWebhookSandbox,
  type WebhookSandbox,
} from './webhook-sandbox.ts'

const probe = readFileSync(resolve(import.meta.dirname, '../fixtures/installs/probe.mjs'), 'utf8')

/** The findings of the probe. */
interface Findings {
  readonly function: string
  readonly variables: readonly string[]
  readonly counts: Readonly<Record<string, number | string>>
  readonly credential: boolean
}

describeWithServices('installations', ['DYNAMODB', 'SQS', 'S3', 'KMS', 'SCHEDULER'], settings => {
  let webhook: WebhookSandbox
  let root = ''

  beforeAll(async () => {
    root = mkdtempSync(join(tmpdir(), 'antichain-installs-'))
    const rulesOf = (stack: string): readonly object[] => {
      const rule = { on: 'push', repository, stack, folder: 'infra' }
      return [
        { ...rule, branches: ['main'] },
        { ...rule, branches: ['bare'], ignoreScripts: true },
      ]
    }
    // The nudge of a killed generator returns after this time.
    const visibilitySeconds = { nudges: 60 }
    webhook = await createWebhookSandbox(settings(), rulesOf, { visibilitySeconds })
  }, 120_000)
  afterAll(async () => {
    rmSync(root, { recursive: true, force: true })
    await webhook?.remove()
  }, 120_000)

  /** Commits a program with an installation script. Returns the body of a push. */
  function pushWith(value: number, postinstall: string, branch = 'main') {
    const files = createSiteRepository(value, webhook.sandbox.stackFile, { postinstall })
    return createPushBody(webhook.github.commit({ ...files, 'infra/probe.mjs': probe }), branch)
  }

  /** Returns the folder of the stack's last deployed program. */
  async function openLastProgram(): Promise<string> {
    const { control, stack } = webhook.sandbox
    const archive = await control.platform.requests.getProgram(stack)
    if (archive === undefined) throw new Error('no program was deployed')
    return createProgramFolders(control.platform.archives, root).open(stack, archive)
  }

  /** Returns the outcomes of the calls of the installer. */
  const listInstalls = () =>
    webhook.sandbox.calls.filter(({ name }) => name === 'installer').map(({ outcome }) => outcome)

  test('a script finds neither names of tables, nor items, nor the credential of the webhook', async () => {
    const end = await webhook.sendAndAwait('push', pushWith(1, 'node probe.mjs'))
    expect(end, webhook.sandbox.readLog()).toMatchObject({ result: 'succeeded' })
    const text = readFileSync(join(await openLastProgram(), 'found.json'), 'utf8')
    const found = JSON.parse(text) as Findings
    const resources = new Set<string>(Object.values(awsVariables))
    expect({
      function: found.function,
      resources: found.variables.filter(name => resources.has(name)),
      counts: found.counts,
      credential: found.credential,
    }).toEqual({ function: 'installer', resources: [], counts: {}, credential: false })
  }, 300_000)

  test('a rule with ignoreScripts installs the packages and runs no script', async () => {
    const push = pushWith(2, 'node probe.mjs', 'bare')
    const end = await webhook.sendAndAwait('push', push)
    expect(end, webhook.sandbox.readLog()).toMatchObject({ result: 'succeeded' })
    const folder = await openLastProgram()
    expect(existsSync(join(folder, 'node_modules/dep/index.js'))).toBe(true)
    expect(existsSync(join(folder, 'found.json'))).toBe(false)
  }, 300_000)

  /**
   * Sends a push whose script waits in its first run, until its environment is killed. Returns the
   * request when the script waits.
   */
  async function pushAndWait(value: number): Promise<string> {
    const flag = join(root, `was-here-${value}`)
    const script = join(root, `wait-${value}.mjs`)
    writeFileSync(
      script,
      `import { existsSync, writeFileSync } from 'node:fs'
if (!existsSync('${flag}')) {
  writeFileSync('${flag}', '')
  setTimeout(() => undefined, 200_000)
}
`,
    )
    const request = await webhook.send('push', pushWith(value, `node ${script}`))
    await waitUntil(() => existsSync(flag), { condition: 'the script', limitMs: 120_000 })
    return request
  }

  /** Kills the environments of a function that have a call. */
  function killBusy(name: 'installer' | 'step-generator'): void {
    for (const environment of webhook.sandbox.cloud.listEnvironments(name))
      if (environment.isBusy()) environment.kill('the test killed it')
  }

  test('an installer that is killed during its work is followed by another one', async () => {
    const before = listInstalls().length
    const request = await pushAndWait(3)
    killBusy('installer')
    const end = await awaitRequest(webhook.sandbox, request)
    expect(end, webhook.sandbox.readLog()).toMatchObject({ result: 'succeeded' })
    // Two nudges may start two installations of one request. Each death is followed by a new call.
    const outcomes = listInstalls()
      .slice(before)
      .map(({ kind }) => kind)
    const deathCount = outcomes.filter(kind => kind === 'died').length
    expect(deathCount).toBeGreaterThanOrEqual(1)
    expect(outcomes.slice(deathCount)).toEqual(Array(deathCount).fill('answered'))
    expect(webhook.sandbox.listObjects()).toMatchObject([{ props: { value: 3 } }])
  }, 300_000)

  test('a generator that is killed during an installation is followed by another one', async () => {
    const request = await pushAndWait(5)
    killBusy('step-generator')
    killBusy('installer')
    const end = await awaitRequest(webhook.sandbox, request)
    expect(end, webhook.sandbox.readLog()).toMatchObject({ result: 'succeeded' })
    expect(webhook.sandbox.listObjects()).toMatchObject([{ props: { value: 5 } }])
  }, 300_000)

  test('a script that fails ends the request with the last lines of the package manager', async () => {
    const script = "node -e 'console.error(`no disk left`); process.exit(3)'"
    const end = await webhook.sendAndAwait('push', pushWith(4, script))
    expect(end).toMatchObject({ kind: 'refused', code: 'INSTALL_FAILED' })
    expect(end).toHaveProperty('message', expect.stringContaining('no disk left'))
  }, 300_000)

  test('a script does not find the credential if the host serves archives itself', async () => {
    webhook.github.serveArchivesItself()
    const fetchCount = webhook.github.countFetches()
    const end = await webhook.sendAndAwait('push', pushWith(6, 'node probe.mjs'))
    expect(end, webhook.sandbox.readLog()).toMatchObject({ result: 'succeeded' })
    const text = readFileSync(join(await openLastProgram(), 'found.json'), 'utf8')
    expect(JSON.parse(text) as Findings).toMatchObject({ function: 'installer', credential: false })
    expect(webhook.github.countFetches()).toBe(fetchCount)
  }, 300_000)

  test('each installation had an environment of its own', () => {
    const { calls } = webhook.sandbox
    const installs = calls.filter(({ name }) => name === 'installer')
    expect(installs.length).toBeGreaterThanOrEqual(5)
    expect(new Set(installs.map(({ pid }) => pid)).size).toBe(installs.length)
  })
})
