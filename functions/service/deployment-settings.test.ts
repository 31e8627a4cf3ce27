import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { BlobHash } from '../../shared/records/ids.ts'
import type { DeploymentRequest } from '../../shared/records/stack-request.ts'
import { sealWebhook, webhookDraft } from '../../shared/triggers/webhooks/webhook-document.ts'
import { shop } from '../api/api.fixture.ts'
import { openTestService, shopService, type TestService } from './service.fixture.ts'

const deployments = `${shopService}/deployments`
const settings = `${deployments}/settings`
const commit = 'c'.repeat(40)

let service: TestService
let deploy = ''

beforeEach(async () => {
  service = await openTestService()
  deploy = `token ${await service.issueToken('deploy')}`
})

afterEach(() => service.close())

const gitOf = (git: object): object => ({ sourceContext: { git } })
const patch = (body: unknown) => service.call(deploy, `POST ${settings}`, body)
const read = async () => (await service.call(deploy, `GET ${settings}`)).json

async function listRequests(): Promise<readonly DeploymentRequest[]> {
  const waiting = await service.platform.requests.listWaiting(shop, 99)
  return waiting as readonly DeploymentRequest[]
}

describe('the settings of deployments', () => {
  test('are merged, replaced and removed', async () => {
    expect((await service.call(deploy, `GET ${settings}`)).status).toBe(404)
    const repoUrl = 'https://github.com/acme/web.git'
    expect((await patch(gitOf({ repoUrl, branch: 'main', repoDir: 'infra' }))).status).toBe(200)
    await patch(gitOf({ commit, branch: null, repoDir: '' }))
    expect(await read()).toEqual(gitOf({ repoUrl, commit }))
    await patch({ vcs: { provider: 'github', repository: 'acme/web', deployCommits: false } })
    expect(await read()).toHaveProperty('vcs', { provider: 'github', repository: 'acme/web' })
    const branch = gitOf({ branch: 'main' })
    expect((await service.call(deploy, `PUT ${settings}`, branch)).status).toBe(200)
    expect(await read()).toEqual(branch)
    expect((await service.call(deploy, `DELETE ${settings}`)).status).toBe(200)
    for (const method of ['GET', 'DELETE'])
      expect((await service.call(deploy, `${method} ${settings}`)).status).toBe(404)
  })

  const refused = [
    [{ executorContext: { executorImage: { reference: 'x' } } }, 'executorContext.executorImage'],
    [{ operationContext: { options: { shell: 'sh' } } }, 'operationContext.options.shell'],
    [{ operationContext: { environmentVariables: { A: { secret: 's3cret' } } } }, '.A.secret'],
    [{ operationContext: { role: { id: 'x' } } }, 'operationContext.role.id'],
    [{ agentPoolID: 'x' }, 'agentPoolID'],
    [{ cacheOptions: { enable: true } }, 'cacheOptions.enable'],
    [{ vcs: { provider: 'github', repository: 'a/b', deployCommits: true } }, 'vcs.deployCommits'],
    [{ vcs: { provider: 'gitlab', repository: 'a/b' } }, 'vcs.provider'],
    [{ vcs: { provider: 'github', repository: '../b' } }, 'vcs.repository'],
    [gitOf({ gitAuth: { accessToken: { secret: 's3cret' } } }), 'sourceContext.git.gitAuth'],
    [gitOf({ repoUrl: 'https://user:s3cret@github.com/acme/web' }), 'sourceContext.git.repoUrl'],
    [gitOf({ repoUrl: 'file:///etc/passwd' }), 'sourceContext.git.repoUrl'],
    [gitOf({ commit: 'main' }), 'sourceContext.git.commit'],
    [gitOf({ branch: '-x' }), 'sourceContext.git.branch'],
    [{ sourceContext: 'x' }, 'sourceContext'],
    [JSON.parse(`${'{"a":'.repeat(9_000)}1${'}'.repeat(9_000)}`) as object, 'levels'],
    [JSON.parse('{"__proto__":{"a":1}}') as object, '__proto__'],
    ['text', 'body'],
    [[], 'body'],
  ] as const

  test('with a member that has no effect are refused by its name, and no message repeats a secret', async () => {
    for (const [body, member] of refused)
      for (const method of ['POST', 'PUT']) {
        const { status, json } = await service.call(deploy, `${method} ${settings}`, body)
        expect([status, json['code']]).toEqual([400, 400])
        expect(json['message']).toContain(member)
        expect(JSON.stringify(json)).not.toContain('s3cret')
      }
    expect((await service.call(deploy, `GET ${settings}`)).status).toBe(404)
  })

  test('need the role deploy and an existing stack', async () => {
    const preview = `token ${await service.issueToken('preview')}`
    for (const method of ['POST', 'PUT', 'DELETE'])
      expect((await service.call(preview, `${method} ${settings}`, {})).status).toBe(403)
    const missing = '/api/stacks/organization/shop/missing/deployments/settings'
    for (const method of ['GET', 'POST', 'DELETE'])
      expect(
        (await service.call(deploy, `${method} ${missing}`, method === 'POST' ? {} : undefined))
          .status,
      ).toBe(404)
  })
})

describe('a deployment of a repository', () => {
  const rule = { on: 'push', repository: 'acme/*', stack: shop, branches: ['main', 'release/*'] }

  async function putWebhook(name: string, rules: readonly object[], fields: object = {}) {
    const draft = webhookDraft.parse({
      form: 'github',
      secrets: ['a secret of 16 characters'],
      rules,
      ...fields,
    })
    const { documents, sealing } = service.platform
    const value = await sealWebhook(sealing, name, draft)
    const key = { kind: 'webhook', scope: '*', name } as const
    await documents.put(key, value, (await documents.get(key))?.version ?? 0)
  }

  const repoUrl = 'https://github.com/acme/web.git'
  const run = (git: object, operation = 'update', token = deploy) =>
    service.call(token, `POST ${deployments}`, { operation, inheritSettings: true, ...gitOf(git) })

  test('becomes the request that its webhook would create', async () => {
    await putWebhook('hub', [{ ...rule, folder: 'infra', ignoreScripts: true }])
    expect((await run({ repoUrl, commit, branch: 'refs/heads/release/1' })).status).toBe(200)
    expect(await listRequests()).toMatchObject([
      {
        dryRun: false,
        by: 'deploy (pulumi)',
        options: { command: 'up' },
        program: {
          kind: 'repository',
          repository: 'acme/web',
          commit,
          folder: 'infra',
          ignoreScripts: true,
          webhook: 'hub',
        },
        origin: { kind: 'webhook', webhook: 'hub', ref: 'branch release/1' },
      },
    ])
  })

  test('has the settings as defaults, but not their commit for another branch', async () => {
    await putWebhook('hub', [rule])
    await patch(gitOf({ repoUrl: 'git@github.com:acme/web.git', commit }))
    const body = { operation: 'update', inheritSettings: true }
    expect((await service.call(deploy, `POST ${deployments}`, body)).status).toBe(200)
    const other = 'd'.repeat(40)
    expect((await run({ commit: other })).status).toBe(200)
    expect((await run({ branch: 'main' })).json['message']).toContain('names no commit')
    const withoutSettings = { operation: 'update', inheritSettings: false }
    expect(
      (await service.call(deploy, `POST ${deployments}`, withoutSettings)).json['message'],
    ).toContain('no program was uploaded')
    const requests = await listRequests()
    expect(requests.map(({ program }) => 'commit' in program && program.commit)).toEqual([
      commit,
      other,
    ])
  })

  test('that no rule admits is refused with a hint', async () => {
    await putWebhook('hub', [rule])
    await putWebhook('paused', [{ ...rule, branches: ['**'] }], { isPaused: true })
    await putWebhook('signed', [{ ...rule, branches: ['**'] }], { form: 'signed' })
    const preview = `token ${await service.issueToken('preview')}`
    const source = { repoUrl, commit }
    const attempts = [
      run({ ...source, branch: 'develop' }),
      run({ ...source, repoUrl: 'https://github.com/evil/web' }),
      run({ ...source, repoUrl: 'https://github.example/acme/web' }),
      run({ ...source, repoDir: 'other' }),
      run(source, 'destroy'),
      run(source, 'preview', preview),
    ]
    for (const { status } of await Promise.all(attempts)) expect(status).toBe(403)
    expect((await run({ ...source, branch: 'develop' })).json['message']).toContain(
      'antichain webhook create',
    )
    for (const git of [{ repoUrl, branch: 'main' }, { commit }])
      expect((await run(git)).json['message']).toMatch(/names no (commit|repository)/)
    expect((await run(source, 'detect-drift')).status).toBe(400)
    expect(await listRequests()).toEqual([])
  })

  test('of an enterprise host needs a webhook with the address of that host', async () => {
    await putWebhook('ghes', [rule], { apiUrl: 'https://git.example/api/v3' })
    expect((await run({ repoUrl, commit })).status).toBe(403)
    expect((await run({ repoUrl: 'https://git.example/acme/web', commit })).status).toBe(200)
  })

  test('is not the default for the detection of drift, which uses the uploaded program', async () => {
    await patch(gitOf({ repoUrl, commit }))
    await service.platform.requests.putProgram(shop, 'a'.repeat(64) as BlobHash)
    const body = { operation: 'detect-drift', inheritSettings: true }
    expect((await service.call(deploy, `POST ${deployments}`, body)).status).toBe(200)
    expect(await listRequests()).toMatchObject([{ program: { kind: 'last' } }])
  })
})
