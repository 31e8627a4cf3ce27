/** A permission that a request needs: an action on a resource, with values of condition keys. */
export interface RequiredPermission {
  /** Such as `sqs:SendMessage`. */
  readonly action: string
  /** The ARN of the resource. */
  readonly resource: string
  /** The values that the request has for condition keys of IAM, by key. */
  readonly context: Readonly<Record<string, string | readonly string[]>>
}

/** A request to a service, as its server receives it. */
export interface ServiceRequest {
  readonly method: string
  /** The path and the query, such as `/bucket/key?versions`. */
  readonly target: string
  readonly headers: Readonly<Record<string, string | undefined>>
  /** The body as text; '' for S3, whose permissions do not depend on the body. */
  readonly body: string
}

/**
 * The account and region of all resources. Requests name a resource without them, but its ARN
 * contains them.
 */
export interface AccountLocation {
  readonly account: string
  readonly region: string
}
