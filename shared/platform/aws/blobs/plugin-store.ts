import {
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
} from '@aws-sdk/client-s3'
import semver from 'semver'
import * as z from 'zod'
import { awsLimits } from '../../../config/aws-limits.ts'
import { createError, hasCode } from '../../../errors/error.ts'
import type { PluginKey, PluginStorePort } from '../../../ports/plugins.ts'
import type { ClockPort } from '../../../ports/system.ts'
import type { BlobHash } from '../../../records/ids.ts'
import { withAwsErrors, httpStatusOf } from '../aws-error.ts'
import { createBlobs } from './blobs.ts'
import { type BucketSection, blobKeyOf } from './blob-objects.ts'
import { readPluginPage } from './plugin-list.ts'

/** The record of a plugin archive. The archive itself is a blob, named by its checksum. */
const archiveRecordForm = z.object({
  v: z.literal(1),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  /** The name of the source from which the archive was downloaded. Absent for an upload. */
  source: z.string().optional(),
})
type ArchiveRecord = z.infer<typeof archiveRecordForm>

/** The pattern of each text that becomes part of a key: a plugin's kind, name, os and arch. */
const keyPartPattern = /^[A-Za-z0-9][A-Za-z0-9._+-]{0,99}$/

/**
 * Creates the store of plugin archives in a part of a bucket.
 * `<prefix><kind>-<name>-<os>-<arch>-v<version>.json` contains the checksum of an archive, which is
 * a blob in the same part. It also contains the source of a downloaded archive. The methods throw
 * PLUGIN_CHECKSUM, PLUGIN_MISSING for an invalid key, DOCUMENT_UNKNOWN and the errors of
 * `createAwsError`.
 */
export function createPluginStore(
  deps: BucketSection & { readonly clock: ClockPort },
): PluginStorePort {
  const { s3, bucket } = deps
  const blobs = createBlobs(deps)
  const { readArchiveRecord, createRecord } = createArchiveRecords(deps)
  return {
    async get(plugin) {
      const version = plugin.version === '' ? await findNewestVersion(deps, plugin) : plugin.version
      if (version === undefined) return undefined
      const key = recordKeyOf(deps, { ...plugin, version })
      const record = await withAwsErrors(`plugin ${key}: get`, () => readArchiveRecord(key))
      if (record === undefined) return undefined
      const { sha256: hash, source } = record
      try {
        return { version, bytes: await blobs.get(hash as BlobHash), source }
      } catch (cause) {
        if (!hasCode(cause, 'STATE_INVALID')) throw cause
        const archiveName = `the archive of plugin ${plugin.name} ${version}`
        const problem = `is missing or does not have the checksum ${hash}`
        const details = { bucket, key }
        throw createError('PLUGIN_CHECKSUM', `${archiveName} ${problem}`, { cause, details })
      }
    },
    list: cursor => readPluginPage(deps, { cursor, readArchiveRecord }),
    async registerArchive(plugin, archive) {
      const recordKey = recordKeyOf(deps, plugin)
      const archiveKey = blobKeyOf(deps, archive)
      await withAwsErrors(`plugin ${recordKey}: check`, async () => {
        try {
          await s3.send(new HeadObjectCommand({ Bucket: bucket, Key: archiveKey }))
        } catch (thrown) {
          if (httpStatusOf(thrown) !== 404) throw thrown
          throw createError('DOCUMENT_UNKNOWN', `the archive ${archive} was not uploaded`)
        }
      })
      return createRecord(recordKey, { sha256: archive })
    },
    async add(plugin, bytes, source) {
      const recordKey = recordKeyOf(deps, plugin)
      return createRecord(recordKey, { sha256: await blobs.put(bytes), source })
    },
    async put(plugin, bytes) {
      const key = recordKeyOf(deps, plugin)
      const sha256 = await blobs.put(bytes)
      const body = JSON.stringify({ v: 1, sha256 })
      const command = new PutObjectCommand({ Bucket: bucket, Key: key, Body: body })
      await withAwsErrors(`plugin ${key}: put`, () => s3.send(command))
      return sha256
    },
  }
}

/** Creates the functions that read and create the records of archives. */
function createArchiveRecords({ s3, bucket }: BucketSection) {
  const readArchiveRecord = async (key: string): Promise<ArchiveRecord | undefined> => {
    try {
      const response = await s3.send(new GetObjectCommand({ Bucket: bucket, Key: key }))
      const text = (await response.Body?.transformToString()) ?? ''
      return archiveRecordForm.parse(JSON.parse(text))
    } catch (thrown) {
      if (httpStatusOf(thrown) === 404) return undefined
      throw thrown
    }
  }
  /** Creates a record. Returns false when a record with another checksum exists. */
  const createRecord = async (
    recordKey: string,
    record: Pick<ArchiveRecord, 'sha256' | 'source'>,
  ): Promise<boolean> => {
    const Body = JSON.stringify({ v: 1, ...record })
    const object = { Bucket: bucket, Key: recordKey, Body }
    const command = new PutObjectCommand({ ...object, IfNoneMatch: '*' })
    return withAwsErrors(`plugin ${recordKey}: put`, async () => {
      try {
        await s3.send(command)
        return true
      } catch (thrown) {
        const status = httpStatusOf(thrown)
        if (status !== 412 && status !== 409) throw thrown
        return (await readArchiveRecord(recordKey))?.sha256 === record.sha256
      }
    })
  }
  return { readArchiveRecord, createRecord }
}

function keyPrefixOf(
  { prefix }: BucketSection,
  { kind, name, os, arch }: Omit<PluginKey, 'version'>,
): string {
  for (const part of [kind, name, os, arch])
    if (!keyPartPattern.test(part))
      throw createError('PLUGIN_MISSING', `'${part}' is not valid in the name of a plugin`)
  return `${prefix}${kind}-${name}-${os}-${arch}-v`
}

function recordKeyOf(bucketSection: BucketSection, plugin: PluginKey): string {
  const version = semver.valid(plugin.version)
  if (version === null)
    throw createError(
      'PLUGIN_MISSING',
      `'${plugin.version}' is not a valid version of plugin ${plugin.name}`,
    )
  return `${keyPrefixOf(bucketSection, plugin)}${version}.json`
}

/** Returns the newest stable version in the store, or the newest version if none is stable. */
async function findNewestVersion(
  bucketSection: BucketSection,
  plugin: PluginKey,
): Promise<string | undefined> {
  const prefix = keyPrefixOf(bucketSection, plugin)
  const command = new ListObjectsV2Command({
    Bucket: bucketSection.bucket,
    Prefix: prefix,
    MaxKeys: awsLimits.pluginVersionsMax,
  })
  const response = await withAwsErrors(`plugins ${prefix}: list`, () =>
    bucketSection.s3.send(command),
  )
  const versions = (response.Contents ?? []).flatMap(({ Key: key = '' }) => {
    const version = semver.valid(key.slice(prefix.length, -'.json'.length))
    return version === null ? [] : [version]
  })
  const stableVersions = versions.filter(version => semver.prerelease(version) === null)
  return (stableVersions.length > 0 ? stableVersions : versions).toSorted(semver.rcompare)[0]
}
