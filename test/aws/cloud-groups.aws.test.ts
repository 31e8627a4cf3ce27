/**
 * An installation with groups of stacks: deployments of all groups through one API, and a program
 * that has taken over its generator.
 */
import { randomBytes } from 'node:crypto'
import { appendFileSync, cpSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createToken } from '../../shared/api/issue-token.ts'
import { openControlClient } from '../../infra/local-cloud/control-client.ts'
import { servicesOfGroup } from '../../infra/local-cloud/services.ts'
import { awsVariables, type AwsVariable } from '../../shared/config/aws-resource-names.ts'
import { type DeploymentId, type StackId, stackIdOf } from '../../shared/records/ids.ts'
import { createSandbox, type CommandOutput, requireSuccess, type Sandbox } from '../e2e/sandbox.ts'
import { type CloudBundles, createBundles } from './cloud-bundles.ts'
import { type CloudSandbox, createCloudSandbox } from './cloud-sandbox.ts'
import { describeWithServices } from './describe-with-services.ts'
import { listAccessRequests } from './access-requests.ts'
import { createStackFile } from './stack-file.ts'
import { readStolenEnvironment, stealEnvironmentCode } from './stolen-environment.ts'

const installation = `t${randomBytes(4).toString('hex')}`
const allVariables = Object.keys(awsVariables) as AwsVariable[]

describeWithServices('groups of stacks', ['DYNAMODB', 'SQS', 'S3', 'KMS', 'STS'], settings => {
  let bundles: CloudBundles
  let sandbox: CloudSandbox
  let client: Sandbox
  let token = ''
  const otherStack = stackIdOf('other', 'dev')
  const run = (folder: string, ...args: readonly string[]): Promise<CommandOutput> =>
    client.run(['-C', folder, ...args])
  const callApi = async (method: string, path: string, group?: string, body?: object) => {
    const response = await fetch(`${sandbox.cloud.apiUrl}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        ...(group === undefined ? {} : { 'antichain-group': group }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    return { status: response.status, body: (await response.json()) as Record<string, unknown> }
  }
  const controlOf = (group: string) =>
    openControlClient(settings(), servicesOfGroup(sandbox.cloud.services, group))

  beforeAll(async () => {
    bundles = await createBundles()
    sandbox = await createCloudSandbox('small', {
      aws: settings(),
      bundleOf: bundles.findBundle,
      settings: {
        'antichain:installation': installation,
        'antichain:groups': 'a=sm*;b=other',
      },
    })
    client = createSandbox(undefined, { sdk: false })
    const common = controlOf('default')
    token = (await createToken(common.platform, { name: 'admin', role: 'admin' })).token
    common.close()
  }, 300_000)
  afterAll(async () => {
    client?.remove()
    await sandbox?.remove()
    bundles?.remove()
  }, 120_000)

  /** Writes a program like that of the sandbox, with another project. */
  const createOtherProgram = async (): Promise<string> => {
    const folder = join(dirname(sandbox.program), 'other')
    cpSync(sandbox.program, folder, { recursive: true })
    const project = join(folder, 'Pulumi.yaml')
    writeFileSync(project, readFileSync(project, 'utf8').replace(/^name: .*$/m, 'name: other'))
    const file = await createStackFile(otherStack, { aws: settings(), config: {} })
    writeFileSync(join(folder, 'Pulumi.dev.yaml'), file)
    return folder
  }

  test('one API deploys stacks of two groups, whose records are apart', {
    timeout: 600_000,
  }, async () => {
    appendFileSync(join(sandbox.program, 'index.js'), stealEnvironmentCode)
    writeFileSync(join(sandbox.program, 'variables.json'), '{}')
    const otherProgram = await createOtherProgram()
    const login = await client.run(['login', sandbox.cloud.apiUrl], {
      env: { ANTICHAIN_TOKEN: token },
    })
    requireSuccess(login)
    expect((await callApi('POST', '/v1/stacks/other/dev')).status).toBe(201)
    for (const folder of [sandbox.program, otherProgram]) {
      requireSuccess(await run(folder, 'stack', 'select', 'dev'))
      requireSuccess(await run(folder, 'up', '--yes', '--skip-preview'))
    }
    const listed = await callApi('GET', '/v1/stacks?last=true')
    expect(listed.body).toMatchObject({
      items: [
        { id: otherStack, version: 1, last: { result: 'succeeded' } },
        { id: sandbox.stack, version: 1, last: { result: 'succeeded' } },
      ],
      unreadable: [],
    })
    const ls = requireSuccess(await run(otherProgram, 'stack', 'ls', '--all', '--json'))
    expect(ls.out).toContain('small')
    expect(ls.out).toContain('other')
    expect((await callApi('GET', '/v1/drift')).body).toMatchObject({
      items: [{ stack: 'other/dev' }, { stack: 'small/dev' }],
    })
    const owners: readonly (readonly [string, StackId, StackId])[] = [
      ['a', sandbox.stack, otherStack],
      ['b', otherStack, sandbox.stack],
    ]
    for (const [group, ownStack, foreignStack] of owners) {
      const { platform, close } = controlOf(group)
      expect(await platform.catalog.getStack(ownStack)).toMatchObject({ version: 1 })
      expect(await platform.catalog.getStack(foreignStack)).toBeUndefined()
      expect(await platform.control.read(`${ownStack}/1` as DeploymentId)).toBeDefined()
      expect(await platform.control.read(`${foreignStack}/1` as DeploymentId)).toBeUndefined()
      close()
    }
    const common = controlOf('default')
    expect((await common.platform.catalog.listStacks()).stacks).toEqual([])
    common.close()
  })

  test('a document for all stacks belongs to one group, and a webhook to the group of its stacks', {
    timeout: 60_000,
  }, async () => {
    const rule = { on: 'push', repository: 'acme/shop', branches: ['main'], stack: otherStack }
    const draft = { form: 'signed', secrets: ['a secret of sixteen characters'], rules: [rule] }
    const put = (group?: string) => callApi('PUT', '/v1/webhooks/main', group, draft)
    expect(await put()).toMatchObject({ body: { code: 'STACK_GROUP_DIFFERENT' } })
    expect(await put('a')).toMatchObject({ body: { code: 'STACK_GROUP_DIFFERENT' } })
    expect(await put('c')).toMatchObject({ status: 404, body: { code: 'GROUP_UNKNOWN' } })
    expect(await put('b')).toMatchObject({ status: 200, body: { created: true } })
    const list = (group?: string) => callApi('GET', '/v1/webhooks', group)
    expect((await list('b')).body).toMatchObject({ items: [{ name: 'main' }] })
    expect((await list()).body).toMatchObject({ items: [] })
    const rename = { project: 'small', stack: 'stolen' }
    expect(await callApi('POST', '/v1/stacks/other/dev/rename', undefined, rename)).toMatchObject({
      body: { code: 'STACK_GROUP_DIFFERENT' },
    })
  })

  test('an export has the documents of all groups, even if ANTICHAIN_GROUP names one of them', {
    timeout: 150_000,
  }, async () => {
    const schedule = { when: 'rate(1 day)', operation: { kind: 'refresh' }, isPaused: true }
    for (const group of [undefined, 'a'])
      expect(await callApi('PUT', '/v1/schedules/drift', group, schedule)).toMatchObject({
        status: 200,
      })
    const folder = join(client.program, 'all')
    const env = { ANTICHAIN_GROUP: 'b' }
    const { out } = requireSuccess(await client.run(['platform', 'export', folder], { env }))
    expect(out).toContain('the documents of the groups default, a, b.')
    const readNames = (file: string) => {
      const { webhooks, schedules, federations } = JSON.parse(
        readFileSync(join(folder, file), 'utf8'),
      ) as Readonly<Record<string, readonly { readonly name: string }[] | undefined>>
      const namesOf = (items: typeof webhooks) => items?.map(({ name }) => name)
      return [namesOf(webhooks), namesOf(schedules), namesOf(federations)]
    }
    expect(readNames('installation.json')).toEqual([[], ['drift'], []])
    expect(readNames('groups/a.json')).toEqual([[], ['drift'], undefined])
    expect(readNames('groups/b.json')).toEqual([['main'], [], undefined])
    // An import restores the settings of each group, and names the group of the others.
    for (const group of [undefined, 'a'])
      expect((await callApi('DELETE', '/v1/schedules/drift', group)).status).toBe(200)
    expect((await callApi('DELETE', '/v1/webhooks/main', 'b')).status).toBe(200)
    const imported = requireSuccess(await client.run(['platform', 'import', folder, '--yes'])).out
    expect(imported).toContain('- schedule drift of the group a\n')
    expect(imported).toContain(
      '- webhook main of the group b: ANTICHAIN_GROUP=b ANTICHAIN_SECRET=… antichain webhook create main --form signed --rules rules/b/main.json',
    )
    for (const group of ['default', 'a', 'b'])
      expect((await callApi('GET', '/v1/schedules', group)).body).toMatchObject({
        items: group === 'b' ? [] : [{ name: 'drift', value: { isPaused: true } }],
      })
  })

  test('a program that takes over its generator reaches nothing of another group', {
    timeout: 120_000,
  }, async () => {
    const stolen = readStolenEnvironment(sandbox.cloudFolder)
    expect(stolen[awsVariables.installation]).toMatch(new RegExp(`^${installation}_[ab]$`))
    const ownGroup = stolen[awsVariables.installation]?.slice(-1) ?? ''
    const variablesOf = (group: string) =>
      servicesOfGroup(sandbox.cloud.services, group).resourceVariables(allVariables, 'short')
    expect(sandbox.takeDenials()).toEqual([])
    const attemptsOn = (group: string) => {
      const name = group === 'default' ? installation : `${installation}_${group}`
      const stack = group === 'b' ? otherStack : sandbox.stack
      return listAccessRequests(stolen, variablesOf(group), { stack, installation: name })
    }
    /** Returns the names of requests that the role allows, whatever the service answers. */
    const listAllowed = async (group: string): Promise<readonly string[]> => {
      const allowed: string[] = []
      for (const [name, send] of attemptsOn(group)) {
        await send().catch(() => undefined)
        if (sandbox.takeDenials().length === 0) allowed.push(name)
      }
      return allowed
    }
    for (const group of ['default', ownGroup === 'a' ? 'b' : 'a']) {
      expect(attemptsOn(group).length).toBeGreaterThan(40)
      expect(await listAllowed(group)).toEqual([])
    }
    // The same requests on resources of its own group show that the attempts are valid.
    const allowedInOwnGroup = await listAllowed(ownGroup)
    for (const part of ['read', 'query', 'write', 'get', 'send to nudgesQueue', 'assume a role'])
      expect(
        allowedInOwnGroup.filter(name => name.startsWith(part)),
        part,
      ).not.toEqual([])
    for (const name of ['encrypt for stack', 'decrypt for stack', 'call compaction'])
      expect(allowedInOwnGroup).toContain(name)
  })
})
