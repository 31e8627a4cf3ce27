import { ListObjectsV2Command, type _Object as S3Object } from '@aws-sdk/client-s3'
import semver from 'semver'
import { awsLimits } from '../../../config/aws-limits.ts'
import type { ListedPlugin, PluginKey, PluginStorePort } from '../../../ports/plugins.ts'
import { withAwsErrors } from '../aws-error.ts'
import type { BucketSection } from './blob-objects.ts'

/**
 * The pattern of a key without the prefix. A name may contain hyphens: it ends before the first
 * text that matches `-<os>-<arch>-v<version>.json`.
 */
const recordPattern =
  /^(?<kind>[a-z]+)-(?<name>.+?)-(?<os>[a-z0-9]+)-(?<arch>[a-z0-9_]+)-v(?<version>\d[^/]*)\.json$/

/** Reads the record of an archive. Returns undefined for a missing record. */
type ReadArchiveRecord = (
  key: string,
) => Promise<{ readonly sha256: string; readonly source?: string | undefined } | undefined>

/** The kinds of stored plugins, in the order of their keys. */
const kinds = ['analyzer', 'converter', 'language', 'resource', 'terraform', 'tool']

/**
 * Returns a page of the archives that `createPluginStore` stores. Lists the keys of each kind
 * separately, because the keys of blobs have the same prefix. Reads the records of the page
 * concurrently. Throws the errors of `createAwsError`.
 */
export async function readPluginPage(
  bucketSection: BucketSection,
  options: { readonly cursor: string; readonly readArchiveRecord: ReadArchiveRecord },
): ReturnType<PluginStorePort['list']> {
  const { prefix } = bucketSection
  const objects: S3Object[] = []
  for (const kind of kinds) {
    const keysMax = awsLimits.pluginsPerPage - objects.length
    if (keysMax > 0) objects.push(...(await listKind(bucketSection, kind, options.cursor, keysMax)))
  }
  const plugins = await Promise.all(
    objects.map(object => readPlugin(object, prefix, options.readArchiveRecord)),
  )
  const lastKey = objects.at(-1)?.Key
  return {
    plugins: plugins.filter(plugin => plugin !== undefined),
    ...(objects.length >= awsLimits.pluginsPerPage && lastKey !== undefined
      ? { next: lastKey.slice(prefix.length) }
      : {}),
  }
}

/** Returns up to `keysMax` objects of a kind whose keys follow the cursor. */
async function listKind(
  { s3, bucket, prefix }: BucketSection,
  kind: string,
  cursor: string,
  keysMax: number,
): Promise<readonly S3Object[]> {
  const kindPrefix = `${kind}-`
  // The cursor is in a later kind, so an earlier page had all archives of this kind.
  if (cursor > kindPrefix && !cursor.startsWith(kindPrefix)) return []
  const command = new ListObjectsV2Command({
    Bucket: bucket,
    Prefix: `${prefix}${kindPrefix}`,
    MaxKeys: keysMax,
    ...(cursor.startsWith(kindPrefix) ? { StartAfter: `${prefix}${cursor}` } : {}),
  })
  const { Contents: objects = [] } = await withAwsErrors(`plugins ${kindPrefix}: list`, () =>
    s3.send(command),
  )
  return objects
}

async function readPlugin(
  { Key: key = '', LastModified }: S3Object,
  prefix: string,
  readArchiveRecord: ReadArchiveRecord,
): Promise<ListedPlugin | undefined> {
  const plugin = parseRecordKey(key.slice(prefix.length))
  if (plugin === undefined) return undefined
  const record = await withAwsErrors(`plugin ${key}: get`, () => readArchiveRecord(key))
  if (record === undefined) return undefined
  const { sha256, source } = record
  return { ...plugin, storedAtMs: LastModified?.getTime() ?? 0, sha256, source }
}

/**
 * Parses the key of a record, without the prefix of the section. Returns undefined for the key of
 * another object.
 */
function parseRecordKey(relativeKey: string): PluginKey | undefined {
  const { kind, name, os, arch, version } = recordPattern.exec(relativeKey)?.groups ?? {}
  if (kind === undefined || name === undefined || os === undefined || arch === undefined)
    return undefined
  const validVersion = semver.valid(version)
  return validVersion === null ? undefined : { kind, name, os, arch, version: validVersion }
}
