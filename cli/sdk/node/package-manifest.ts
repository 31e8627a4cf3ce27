import type { PackageSchema } from '../../../shared/providers/package-schema/package-schema.ts'
import { describePlugin } from '../describe-plugin.ts'
import { readNodeSettings } from './node-settings.ts'

/** The versions of Pulumi's SDK that can register packages with parameters. */
const sdkVersions = '^3.238.0'

/** Returns the text of `package.json` of an SDK. The field `pulumi` names the plugin. */
export function formatPackageManifest(schema: PackageSchema): string {
  const { description, homepage, keywords, license, repository, version = '0.0.0' } = schema
  const manifest = {
    name: packageNameOf(schema),
    version,
    ...(description !== undefined && { description }),
    ...(keywords !== undefined && { keywords }),
    ...(homepage !== undefined && { homepage }),
    ...(repository !== undefined && { repository }),
    ...(license !== undefined && { license }),
    main: 'index.js',
    types: 'index.d.ts',
    peerDependencies: { '@pulumi/pulumi': sdkVersions },
    pulumi: describePlugin(schema),
  }
  return `${JSON.stringify(manifest, null, 2)}\n`
}

/** Returns the name of the package in npm. */
export function packageNameOf(schema: PackageSchema): string {
  return readNodeSettings(schema).packageName || `@pulumi/${schema.name}`
}
