/**
 * records: the types of durable records: decision log, heads, outcomes, control records, requests
 * and notifications. Also the table of the valid transitions of a head, and the order of effects.
 * Imports state and below.
 *
 * Invariants: I1-I6 of docs/architecture.md. No record grows with the stack. The types are the
 * stored form of the records, as plain JSON.
 */

/** A stack in the catalog: `organization/<project>/<stack>`. */
export type StackId = string & { readonly __brand: 'StackId' }

/**
 * A deployment: `<stack id>/<number>`, numbers from 1 per stack. The events of a preview are stored
 * under an id from `previewIdOf` instead.
 */
export type DeploymentId = string & { readonly __brand: 'DeploymentId' }

/** The number of an operation in its deployment: from 1, increasing, possibly with gaps. */
export type OperationId = number & { readonly __brand: 'OperationId' }

/** The number of a record in a decision log: from 0, increasing, without gaps. */
export type LogNumber = number & { readonly __brand: 'LogNumber' }

/**
 * The token of one delivery to one executor. The token is unique, so that a repeated write is
 * recognized.
 */
export type OwnerToken = string & { readonly __brand: 'OwnerToken' }

/** The id under which an executor or generator holds its lease. An id is never reused. */
export type ExecutorId = string & { readonly __brand: 'ExecutorId' }

/** The token of one generator run, the writer of log records. */
export type WriterToken = string & { readonly __brand: 'WriterToken' }

/**
 * The name of a blob: hex SHA-256 of its bytes, or for an archive the result of `archiveNameOf`.
 */
export type BlobHash = string & { readonly __brand: 'BlobHash' }

/** Milliseconds since 1970. */
export type EpochMs = number & { readonly __brand: 'EpochMs' }

/** Returns the id of a stack. */
export function stackIdOf(project: string, stack: string): StackId {
  return `organization/${project}/${stack}` as StackId
}

/** Returns project and name of a stack id. */
export function stackPartsOf(id: StackId): { readonly project: string; readonly stack: string } {
  const [, project = '', stack = ''] = id.split('/')
  return { project, stack }
}

/** Returns the id of a stack's deployment. */
export function deploymentIdOf(stack: StackId, number: number): DeploymentId {
  return `${stack}/${number}` as DeploymentId
}

/** Returns the stack and number of a deployment. */
export function deploymentPartsOf(id: DeploymentId): {
  readonly stack: StackId
  readonly number: number
} {
  const slashIndex = id.lastIndexOf('/')
  return { stack: id.slice(0, slashIndex) as StackId, number: Number(id.slice(slashIndex + 1)) }
}

/**
 * Returns the id under which a preview stores its events. `key`: the key of the preview's request.
 * The id belongs to no deployment, and the events are kept as long as the request.
 */
export function previewIdOf(stack: StackId, key: string): DeploymentId {
  return `${stack}/preview:${encodeURIComponent(key)}` as DeploymentId
}

/** Reports whether an id belongs to a preview. */
export function isPreviewId(id: DeploymentId): boolean {
  return id.slice(id.lastIndexOf('/') + 1).startsWith('preview:')
}
