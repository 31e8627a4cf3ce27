import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { PackageParameter } from '../driver/package-parameter.ts'
import type { ProviderBinary } from '../driver/terraform-provider.ts'
import {
  createRegistryFixture,
  type FixtureResponse,
  type ProviderRelease,
  type RegistryFixture,
} from './registry.fixture.ts'
import { createTerraformInstaller, type TerraformInstallerDeps } from './terraform-installer.ts'

/** An installer over folders of its own and a registry in memory. */
export interface InstallerFixture {
  readonly registry: RegistryFixture
  readonly home: string
  readonly programFolder: string
  readonly cacheFolder: string
  readonly lockFile: string
  readonly messages: readonly string[]
  /** Responses of other hosts, by address. */
  readonly responses: Map<string, FixtureResponse>
  /** Obtains a provider with a new installer. */
  readonly obtain: (
    source: string,
    version: string,
    options?: Partial<TerraformInstallerDeps>,
  ) => Promise<ProviderBinary>
  readonly close: () => void
}

/** The host of the registry in memory. */
export const fixtureHost = 'registry.example.com'

/** Creates a rig with the provider `golden/thing` on Linux. */
export function createInstallerFixture(
  versions: readonly ProviderRelease[] = defaultVersions,
): InstallerFixture {
  const folder = mkdtempSync(join(tmpdir(), 'tf-install-'))
  const registry = createRegistryFixture('thing', versions)
  const responses = new Map<string, FixtureResponse>()
  const messages: string[] = []
  const [home, programFolder] = [join(folder, 'home'), join(folder, 'program')]
  for (const path of [home, programFolder]) mkdirSync(path)
  const paths = {
    home,
    programFolder,
    cacheFolder: join(folder, 'cache'),
    lockFile: join(programFolder, '.terraform.lock.hcl'),
  }
  const respond = (address: string, headers: Headers): FixtureResponse => {
    const { host, pathname } = new URL(address)
    const authorization = headers.get('authorization') ?? undefined
    if (host === fixtureHost) return registry.respond(pathname, { authorization })
    const response = responses.get(address)
    if (response === undefined) throw new TypeError('fetch failed')
    return response
  }
  return {
    registry,
    responses,
    messages,
    ...paths,
    obtain(source, version, options = {}) {
      const installer = createTerraformInstaller({
        ...paths,
        env: {},
        platform: { os: 'linux', arch: 'amd64' },
        updatesLock: false,
        ignoresCache: false,
        mayDownload: true,
        now: () => Date.UTC(2026, 5, 1),
        pause: () => Promise.resolve(),
        report: (_severity, text) => messages.push(text),
        fetch: (url, init) => {
          const address = url instanceof Request ? url.url : String(url)
          try {
            const { status, body, headers } = respond(address, new Headers(init?.headers))
            return Promise.resolve(
              new Response(new Uint8Array(body), { status, headers: { ...headers } }),
            )
          } catch (thrown) {
            return Promise.reject(thrown)
          }
        },
        ...options,
      })
      const filter = { includes: [], excludes: [], providerName: undefined }
      const parameter: PackageParameter = { kind: 'remote', source, version, ...filter }
      return installer.obtain(parameter)
    },
    close: () => rmSync(folder, { recursive: true, force: true }),
  }
}

const defaultVersions: readonly ProviderRelease[] = ['1.0.0', '1.2.0', '2.0.0-beta1'].map(
  version => ({
    version,
    executable: Buffer.from(`#!/bin/sh\necho ${version}\n`),
    platforms: ['linux_amd64'],
  }),
)
