import { join } from 'node:path'
import { lockFileName } from '../../providers/terraform/install/lock-file.ts'
import { formatSourceAddress } from '../../providers/terraform/install/source-address.ts'
import { packagePlatformOf } from '../../providers/terraform/install/package-folders.ts'
import {
  permitsAutomaticInstallation,
  type TerraformInstallerDeps,
} from '../../providers/terraform/install/terraform-installer.ts'
import { terraformCacheOf } from '../../providers/terraform/install/terraform-cache.ts'
import type { FetchPlugin } from './fetch-plugin.ts'
import { terraformKind } from './plugin-source-name.ts'

/** Creates the dependencies for installing Terraform providers automatically on this machine. */
export function createTerraformInstallDeps(deps: {
  readonly env: Readonly<Record<string, string>>
  readonly home: string
  readonly programFolder: string
  readonly pause: (ms: number) => Promise<void>
  readonly now: () => number
  readonly report: TerraformInstallerDeps['report']
  /** Fetches packages from the plugin store of an AWS installation, in place of other sources. */
  readonly fetchPlugin?: FetchPlugin | undefined
}): TerraformInstallerDeps {
  const { fetchPlugin, ...otherDeps } = deps
  return {
    ...otherDeps,
    ...(fetchPlugin === undefined
      ? {}
      : {
          fetchStored: (address, version) =>
            fetchPlugin({
              kind: terraformKind,
              name: formatSourceAddress(address),
              version,
              downloadUrl: '',
            }),
        }),
    fetch,
    platform: packagePlatformOf(process.platform, process.arch),
    cacheFolder: terraformCacheOf(deps),
    lockFile: join(deps.programFolder, lockFileName),
    updatesLock: false,
    ignoresCache: false,
    mayDownload: permitsAutomaticInstallation(deps.env),
  }
}
