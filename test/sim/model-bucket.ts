import {
  type CopyObjectCommandInput,
  type GetObjectCommandInput,
  type ListObjectsV2CommandInput,
  type PutObjectCommandInput,
  S3ServiceException,
  type S3Client,
} from '@aws-sdk/client-s3'
import { createHash } from 'node:crypto'

/** One version of an object. `bytes` is undefined for a delete marker. */
interface Version {
  readonly id: string
  readonly bytes: Uint8Array | undefined
  readonly checksum: string
  readonly createdAtMs: number
}

/**
 * A model of S3 as far as the adapters use it: a bucket with versions, whole objects, conditional
 * writes (`If-None-Match: *`, `If-Match`), and ordered listings. Every request is atomic.
 */
export interface ModelBucket {
  /** The client that the adapters receive. */
  readonly client: Pick<S3Client, 'send'>
  /** Returns all versions of all objects, for checks of their contents. */
  readonly listVersions: () => readonly {
    readonly key: string
    readonly bytes: Uint8Array | undefined
  }[]
}

type Answer = Readonly<Record<string, unknown>>
type CommandHandler = (input: never) => Answer

/**
 * Creates an empty bucket. `onRequest` is called with the name of each request, including refused
 * ones.
 */
export function createModelBucket(
  now: () => number,
  onRequest: (operation: string) => void = () => undefined,
): ModelBucket {
  const objects = new Map<string, Version[]>()
  let count = 0
  const findLatest = (key = ''): Version | undefined => objects.get(key)?.at(-1)
  const requireObject = (key = ''): Version & { readonly bytes: Uint8Array } => {
    const version = findLatest(key)
    if (version?.bytes === undefined) throw refusalOf('NoSuchKey', 404)
    return { ...version, bytes: version.bytes }
  }
  const add = (key: string, bytes: Uint8Array | undefined): Version => {
    const checksum = createHash('sha256')
      .update(bytes ?? '')
      .digest('base64')
    count += 1
    const version = { id: `v${count}`, bytes, checksum, createdAtMs: now() }
    objects.set(key, [...(objects.get(key) ?? []), version])
    return version
  }
  const commands: Readonly<Record<string, CommandHandler>> = {
    PutObjectCommand: (input: PutObjectCommandInput) => {
      const { Key = '', IfNoneMatch, IfMatch } = input
      const existing = findLatest(Key)
      if (IfNoneMatch === '*' && existing?.bytes !== undefined)
        throw refusalOf('PreconditionFailed', 412)
      if (IfMatch !== undefined && existing?.bytes === undefined) throw refusalOf('NoSuchKey', 404)
      if (IfMatch !== undefined && IfMatch !== tagOf(existing))
        throw refusalOf('PreconditionFailed', 412)
      const bytes = new Uint8Array(input.Body as Uint8Array)
      const { ChecksumSHA256 } = input
      const checksum = createHash('sha256').update(bytes).digest('base64')
      if (ChecksumSHA256 !== undefined && ChecksumSHA256 !== checksum)
        throw refusalOf('BadDigest', 400)
      const { id } = add(Key, bytes)
      return { ETag: tagOf(findLatest(Key)), VersionId: id }
    },
    GetObjectCommand: ({ Key }: GetObjectCommandInput) => {
      const { bytes, id } = requireObject(Key)
      return { Body: bodyOf(bytes), ContentLength: bytes.length, VersionId: id }
    },
    HeadObjectCommand: ({ Key }: GetObjectCommandInput) => {
      const { bytes, checksum, id } = requireObject(Key)
      return { ContentLength: bytes.length, ChecksumSHA256: checksum, VersionId: id }
    },
    CopyObjectCommand: ({ CopySource = '', Key = '' }: CopyObjectCommandInput) => {
      const { bytes } = requireObject(CopySource.slice(CopySource.indexOf('/') + 1))
      return { VersionId: add(Key, bytes).id }
    },
    DeleteObjectCommand: ({ Key = '' }: GetObjectCommandInput) => ({
      DeleteMarker: true,
      VersionId: add(Key, undefined).id,
    }),
    ListObjectsV2Command: (input: ListObjectsV2CommandInput) => {
      const { Prefix = '', MaxKeys = 1_000, ContinuationToken = '' } = input
      const keys = [...objects.keys()]
        .filter(key => key.startsWith(Prefix) && key > ContinuationToken)
        .filter(key => findLatest(key)?.bytes !== undefined)
        .toSorted((one, other) => (one < other ? -1 : 1))
      const page = keys.slice(0, MaxKeys)
      const Contents = page.map(Key => {
        const { bytes, createdAtMs } = requireObject(Key)
        return { Key, Size: bytes.length, LastModified: new Date(createdAtMs) }
      })
      const nextPage = page.length < keys.length ? { NextContinuationToken: page.at(-1) } : {}
      return { Contents, ...nextPage }
    },
  }
  const send = async (command: { readonly input: object }): Promise<Answer> => {
    const name = command.constructor.name
    const handler = commands[name]
    if (handler === undefined) throw new TypeError(`the model does not know ${name}`)
    onRequest(name.replace('Command', ''))
    return handler(command.input as never)
  }
  return {
    client: { send },
    listVersions: () =>
      [...objects].flatMap(([key, versions]) => versions.map(({ bytes }) => ({ key, bytes }))),
  }
}

function tagOf(version: Version | undefined): string {
  return `"${version?.id ?? ''}"`
}

/** Returns a response body in the form of the SDK. */
function bodyOf(bytes: Uint8Array) {
  return {
    transformToByteArray: async () => new Uint8Array(bytes),
    transformToWebStream: () => new Blob([new Uint8Array(bytes)]).stream(),
  }
}

function refusalOf(name: string, httpStatusCode: number): S3ServiceException {
  return new S3ServiceException({
    name,
    message: name,
    $fault: 'client',
    $metadata: { httpStatusCode },
  })
}
