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
  const { pathname, searchParams } = new URL(target, 'http://s3')
  const [, bucket = '', ...keyParts] = decodeURIComponent(pathname).split('/')
  const key = keyParts.join('/')
  const bucketArn = `arn:aws:s3:::${bucket}`
  if (key === '') return [bucketPermissionOf(method, bucketArn, searchParams)]
  return [
    {
      action: `s3:${objectActionOf(method, searchParams)}`,
      resource: `${bucketArn}/${key}`,
      context: conditionsOf(headers, searchParams),
    },
  ]
}

function bucketPermissionOf(
  method: string,
  resource: string,
  query: URLSearchParams,
): RequiredPermission {
  // Listing is the only use of a bucket itself.
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
  // Every request of a multipart upload needs the permission of the put.
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
