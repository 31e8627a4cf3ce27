import { createHash } from 'node:crypto'
import { afterEach, describe, expect, test } from 'vitest'
import { sweepBlobs } from '../../shared/engine/deployment/retention/sweep-blobs.ts'
import type { DeployInput } from '../../shared/engine/request.ts'
import { archiveNameOf } from '../../shared/records/archive-name.ts'
import type { BlobHash, EpochMs, StackId } from '../../shared/records/ids.ts'
import type { DeploymentRequest } from '../../shared/records/stack-request.ts'
import {
  policyArchiveOwnerOf,
  withAttachedPolicies,
} from '../../shared/runtime/policy-packs/attached-policies.ts'
import { openTestApi, shop, shopPath, type TestApi } from './api.fixture.ts'

let api: TestApi | undefined

afterEach(async () => {
  await api?.close()
  api = undefined
})

describe('an attached policy pack', () => {
  const bytes = Buffer.from('a packed folder')
  const archive = createHash('sha256').update(bytes).digest('hex')
  const path = '/v1/policies/rules'

  async function openWithUpload() {
    api = await openTestApi()
    const { call, issueToken } = api
    const [admin, read] = [await issueToken('admin'), await issueToken('read')]
    const uploaded = await call(admin, `PUT ${path}/archives/${archive}`, new Uint8Array(bytes))
    expect(uploaded.status).toBe(201)
    return { ...api, admin, read }
  }

  test('covers the stacks that it names, until it is detached', async () => {
    const { call, admin, read } = await openWithUpload()
    const listNames = async () => {
      const response = await call(read, `GET ${shopPath}/policies`)
      return ((await response.json()) as { items: { name: string }[] }).items.map(one => one.name)
    }
    for (const [stacks, names] of [
      [undefined, ['rules']],
      [{ stacks: ['shop/dev'] }, ['rules']],
      [{ stacks: ['shop/prod'] }, []],
      [{ projects: ['shop'] }, ['rules']],
      [{ projects: ['other'] }, []],
      [{ projects: ['other'], stacks: ['shop/dev'] }, ['rules']],
      [{ tags: { tier: 'prod' } }, []],
    ] as const) {
      const body = { archive, ...(stacks === undefined ? {} : { stacks }) }
      expect((await call(admin, `PUT ${path}`, body)).status).toBe(200)
      expect([stacks, await listNames()]).toEqual([stacks, names])
    }
    expect((await call(admin, `PUT ${path}`, { archive })).status).toBe(200)
    expect((await call(admin, `DELETE ${path}`)).status).toBe(200)
    expect(await listNames()).toEqual([])
  })

  test('cannot be escaped by a changed tag or name, unless an administrator makes the change', async () => {
    const { call, admin, issueToken } = await openWithUpload()
    const deployer = await issueToken('deploy')
    const setTier = (token: string, tier: string | null) =>
      call(token, `PUT ${shopPath}/tags`, { tags: { tier } })
    expect((await setTier(admin, 'prod')).status).toBe(200)
    expect(
      (await call(admin, `PUT ${path}`, { archive, stacks: { tags: { tier: 'prod' } } })).status,
    ).toBe(200)
    const refused = await setTier(deployer, null)
    expect(await refused.json()).toMatchObject({ code: 'API_FORBIDDEN' })
    const team = await call(deployer, `PUT ${shopPath}/tags`, { tags: { team: 'web' } })
    expect(team.status).toBe(200)
    const renamed = await call(deployer, `POST ${shopPath}/rename`, { project: 'shop', stack: 'x' })
    expect(await renamed.json()).toMatchObject({ code: 'API_FORBIDDEN' })
    expect((await setTier(admin, null)).status).toBe(200)
  })

  test('needs an archive that was uploaded under its own name, and an administrator', async () => {
    const { call, admin, issueToken } = await openWithUpload()
    const other = await call(admin, 'PUT /v1/policies/other', { archive })
    expect(await other.json()).toMatchObject({ code: 'ARCHIVE_UNKNOWN' })
    const deployer = await issueToken('deploy')
    expect((await call(deployer, `PUT ${path}`, { archive })).status).toBe(403)
    const limited = await issueToken('admin', ['shop/*'])
    expect((await call(limited, `DELETE ${path}`)).status).toBe(403)
  })

  test('keeps the archive of the stored document after concurrent puts of two archives', async () => {
    const { call, admin, platform } = await openWithUpload()
    const otherBytes = Buffer.from('another packed folder')
    const other = createHash('sha256').update(otherBytes).digest('hex')
    const uploaded = await call(admin, `PUT ${path}/archives/${other}`, new Uint8Array(otherBytes))
    expect(uploaded.status).toBe(201)
    const put = async (sha256: string) =>
      (await call(admin, `PUT ${path}`, { archive: sha256 })).status
    const statuses = await Promise.all([archive, other, archive, other].map(put))
    expect(statuses).toContain(200)
    const stored = (await (await call(admin, `GET ${path}`)).json()) as {
      value: { archive: BlobHash }
    }
    const owner = policyArchiveOwnerOf('rules')
    expect(await platform.requests.getProgram(owner)).toBe(
      archiveNameOf(owner, stored.value.archive),
    )
  })

  test('is kept by the sweep of blobs, and is added to each request that checks resources', async () => {
    const { call, admin, platform } = await openWithUpload()
    expect((await call(admin, `PUT ${path}`, { archive })).status).toBe(200)
    // A sweep sets aside only blobs that are older than a day, and a later one removes them.
    for (const days of [9, 18]) {
      const later = (platform.clock.now() + days * 86_400_000) as EpochMs
      const clock = { ...platform.clock, now: () => later }
      const swept = await sweepBlobs({ ...platform, clock }, { dryRun: false })
      expect(swept).toMatchObject({ setAside: 0, removed: 0 })
    }
    const opened: string[] = []
    const folders = {
      open: async (owner: StackId, name: BlobHash) => {
        expect(Buffer.from(await platform.archives.get(owner, name)).toString()).toBe(
          'a packed folder',
        )
        opened.push(owner)
        return '/packs/rules'
      },
    }
    const requestOf = (command: string) =>
      ({
        stack: shop,
        options: { command, policyPacks: [{ path: 'own' }] },
      }) as unknown as DeployInput
    const openRequest = (command: string) =>
      withAttachedPolicies(
        { open: async () => requestOf(command), reopen: async () => requestOf(command) },
        { documents: platform.documents, folders },
      ).open({} as DeploymentRequest)
    const attachedPolicyPacks = [{ name: 'rules', path: '/packs/rules' }]
    expect(await openRequest('up')).toEqual({ ...requestOf('up'), attachedPolicyPacks })
    expect(await openRequest('destroy')).toEqual(requestOf('destroy'))
    expect(opened).toEqual(['organization/*policies/rules'])
    folders.open = async () => Promise.reject(new Error('no such archive'))
    await expect(openRequest('up')).rejects.toMatchObject({
      code: 'POLICY_PACK_FAILED',
      message: expect.stringContaining("'rules'"),
    })
  })
})
