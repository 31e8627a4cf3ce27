import { expect, test } from 'vitest'
import { createMirrorSource } from './network-mirror.ts'
import { parseSourceAddress } from './source-address.ts'

/** Locates the package of version 1.0.0 in a mirror that responds with this JSON. */
function locateIn(json: unknown) {
  const mirror = createMirrorSource(
    'https://mirror.example.com/tf/',
    { tokens: new Map() },
    {
      fetch: async () => Response.json(json),
      pause: async () => undefined,
      report: () => undefined,
      env: {},
      home: '/home',
      programFolder: '/program',
      platform: { os: 'linux', arch: 'amd64' },
      now: () => 0,
    },
  )
  return mirror.locate(parseSourceAddress('example.com/a/b'), '1.0.0')
}

test('a mirror whose package has no valid address is refused', async () => {
  const archivesOf = (url: string) => ({ archives: { linux_amd64: { url } } })
  expect(await locateIn(archivesOf('../x.zip'))).toMatchObject({
    url: 'https://mirror.example.com/tf/example.com/a/x.zip',
  })
  await expect(locateIn(archivesOf('https://'))).rejects.toMatchObject({
    code: 'TERRAFORM_REGISTRY_INVALID',
    message: expect.stringContaining("'https://' is not an address") as string,
  })
})
