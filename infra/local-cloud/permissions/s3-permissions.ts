import type { RequiredPermission, ServiceRequest } from './required-permission.ts'

/**
 * Returns the permissions for a request to S3 with the bucket in its path. Source: S3's page on
 * required permissions for API operations.
 */
export function s3PermissionsOf({
  method,
  target,
  headers,
}: ServiceRequest): readonly RequiredPermission[] {
  const { bucketArn, key, searchParams } = parseTarget(target)
  if (key === '') return [bucketPermissionOf(method, bucketArn, searchParams)]
  const source = copySourceOf(headers)
  return [
    ...(source === undefined ? [] : [readPermissionOf(source)]),
    {
      action: `s3:${objectActionOf(method, searchParams)}`,
      resource: `${bucketArn}/${key}`,
      context: conditionsOf(headers, searchParams),
    },
  ]
}

const readPermissionOf = ({ bucketArn, key, searchParams }: S3Target): RequiredPermission => ({
  action: `s3:${objectActionOf('GET', searchParams)}`,
  resource: `${bucketArn}/${key}`,
  context: {},
})

/** Returns the object that a request copies. The request's header may omit the first slash. */
function copySourceOf({
  'x-amz-copy-source': source,
}: ServiceRequest['headers']): S3Target | undefined {
  return source === undefined ? undefined : parseTarget(`/${source.replace(/^\//, '')}`)
}

/**
 * Returns the permission without which S3 conceals that an object is missing, and responds with 403
 * instead of 404. Undefined for a request that neither reads nor copies an object. Source: S3's
 * references of GetObject and HeadObject.
 */
export function missingObjectPermissionOf({
  method,
  target,
  headers,
}: ServiceRequest): RequiredPermission | undefined {
  const isRead = method === 'GET' || method === 'HEAD'
  const { bucketArn = '', key = '' } = copySourceOf(headers) ?? (isRead ? parseTarget(target) : {})
  if (key === '') return undefined
  return { action: 's3:ListBucket', resource: bucketArn, context: { 's3:prefix': key } }
}

interface S3Target {
  readonly bucketArn: string
  /** The key of an object; '' for the bucket itself. */
  readonly key: string
  readonly searchParams: URLSearchParams
}

function parseTarget(target: string): S3Target {
  const { pathname, searchParams } = new URL(target, 'http://s3')
  const [, bucket = '', ...keyParts] = decodeURIComponent(pathname).split('/')
  return { bucketArn: `arn:aws:s3:::${bucket}`, key: keyParts.join('/'), searchParams }
}

function bucketPermissionOf(
  method: string,
  resource: string,
  query: URLSearchParams,
): RequiredPermission {
  // Listings are the only requests for a bucket itself that functions send.
  const action = query.has('versions') ? 'ListBucketVersions' : 'ListBucket'
  const prefix = query.get('prefix')
  return {
    action: method === 'GET' ? `s3:${action}` : `s3:${method}`,
    resource,
    context: prefix === null ? {} : { 's3:prefix': prefix },
  }
}

function objectActionOf(method: string, query: URLSearchParams): string {
  const versionSuffix = query.has('versionId') ? 'Version' : ''
  if (query.has('tagging'))
    return `${method === 'PUT' ? 'Put' : 'Get'}Object${versionSuffix}Tagging`
  if (method === 'DELETE')
    return query.has('uploadId') ? 'AbortMultipartUpload' : `DeleteObject${versionSuffix}`
  // The requests that begin, write and complete a multipart upload need the permission to put the
  // object. The requests for listing parts are missing, because no function sends them.
  if (method === 'PUT' || method === 'POST') return 'PutObject'
  return `GetObject${versionSuffix}`
}

/** Returns the condition keys of a put that must not replace an object. */
function conditionsOf(
  headers: ServiceRequest['headers'],
  query: URLSearchParams,
): RequiredPermission['context'] {
  const ifNoneMatch = headers['if-none-match'] ?? query.get('if-none-match') ?? undefined
  return ifNoneMatch === undefined ? {} : { 's3:if-none-match': ifNoneMatch }
}
