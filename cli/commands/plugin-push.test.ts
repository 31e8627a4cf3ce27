import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Flags } from '../arguments/flags.ts'
import type { CliSession } from '../session/session.ts'
import { pushPlugin } from './plugin-push.ts'

let cwd: string

beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'plugin-push-'))
})

afterEach(() => rmSync(cwd, { recursive: true }))

/** Uploads an archive with this name. Returns the paths of the calls of the API. */
async function push(name: string, source?: string): Promise<readonly string[]> {
  writeFileSync(join(cwd, name), 'archive')
  const paths: string[] = []
  const engine = {
    remote: { uploadArchive: (path: string) => Promise.resolve(void paths.push(path)) },
    callApi: ({ path }: { readonly path: string }) => Promise.resolve(void paths.push(path)),
  }
  const session = {
    cwd,
    openEngine: () => Promise.resolve(engine),
    printToStderr: () => undefined,
  } as unknown as CliSession
  const flags = { text: () => source } as unknown as Flags
  await pushPlugin(session, flags, [name])
  return paths
}

describe('plugin push', () => {
  test.each([
    ['pulumi-resource-random-v4.16.3-linux-arm64.tar.gz', 'resource/random/4.16.3/linux/arm64'],
    [
      'terraform-provider-random_3.6.3_linux_amd64.zip',
      'terraform/registry.opentofu.org.hashicorp.random/3.6.3/linux/x64',
    ],
  ])('registers %s as %s', async (name, path) => {
    expect(await push(name)).toEqual(['/v1/plugins', `/v1/plugins/${path}`])
  })

  test('registers a Terraform provider under the address of --source', async () => {
    const paths = await push('terraform-provider-a_1.0.0_linux_arm64.zip', 'example.com/acme/a')
    expect(paths[1]).toBe('/v1/plugins/terraform/example.com.acme.a/1.0.0/linux/arm64')
  })

  test('refuses other file names, and an address of another provider', async () => {
    await expect(push('other.zip')).rejects.toMatchObject({ code: 'CLI_USAGE' })
    await expect(push('other.zip', 'acme/a')).rejects.toMatchObject({ code: 'CLI_USAGE' })
    const pushing = push('terraform-provider-a_1.0.0_linux_arm64.zip', 'acme/b')
    await expect(pushing).rejects.toMatchObject({ code: 'CLI_USAGE' })
  })
})
