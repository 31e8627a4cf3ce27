import type { EpochMs, StackId } from '../records/ids.ts'

/** The kinds of small documents. */
export type DocumentKind =
  | 'webhook'
  | 'schedule'
  | 'notification'
  /** The last deliveries of a notification, which has the same scope and name. */
  | 'delivery-history'
  | 'federation'
  | 'token'
  /** An allowed source of plugins. */
  | 'plugin-source'
  /** A registry of packages, with a credential. */
  | 'package-registry'
  /** A record of the API for clients of Pulumi, such as an update or a numbered deployment. */
  | 'client-update'
  /** The tags of a stack, and its key for clients of Pulumi. */
  | 'stack-settings'
  /** The state of a limit of provider calls. */
  | 'call-limit'

/** The name of the document of the kind `stack-settings` with the tags of a stack. */
export const tagsDocumentName = 'tags'

/** The key of a document, unique within its kind and scope. */
export interface DocumentKey {
  readonly kind: DocumentKind
  /** The stack to which the document belongs, or '*' for a document without a stack. */
  readonly scope: StackId | '*'
  readonly name: string
}

/** A stored document. `value` is plain JSON with sealed secrets. */
export interface StoredDocument {
  readonly key: DocumentKey
  /** The version, from 1. It increases with every change. */
  readonly version: number
  readonly value: unknown
}

/** A page of documents. An unreadable document does not hide the others. */
export interface DocumentPage {
  readonly documents: readonly StoredDocument[]
  /** Unreadable documents, each with its error: RECORD_DAMAGED, RECORD_TOO_NEW. */
  readonly unreadable: readonly { readonly key: DocumentKey; readonly reason: Error }[]
  /** The cursor of the next page; undefined at the end. */
  readonly next: string | undefined
}

/** A put of a document that the store removes by itself. */
export interface ExpiringDocument extends StoredDocument {
  /**
   * The time from which on the document counts as absent. A store may round it up to a whole
   * second.
   */
  readonly expiresAt: EpochMs
}

/** Small named JSON documents with versions. Each method is atomic. */
export interface DocumentsPort {
  /** Throws RECORD_DAMAGED and RECORD_TOO_NEW. */
  readonly get: (key: DocumentKey) => Promise<StoredDocument | undefined>
  /**
   * Puts a document if its version is still `expectedVersion` (0 = absent). Returns the new
   * version, or false when the version differs. A version is never used twice, even after a
   * removal. The adapter gives each call a token, by which it recognizes its own repetition of the
   * call. Throws DOCUMENT_INVALID.
   */
  readonly put: (
    key: DocumentKey,
    value: unknown,
    expectedVersion: number,
  ) => Promise<number | false>
  /**
   * Puts a document like `put`, and replaces its expiry. `version` is the expected version. The
   * store removes an expired document with its version, so a later document with the same name may
   * start at version 1. A caller may use a name again only if a write with an outdated version does
   * no harm.
   */
  readonly putExpiring: (document: ExpiringDocument) => Promise<number | false>
  /**
   * Removes a document if it has this version. Returns false when an existing document has another
   * version, and true otherwise.
   */
  readonly remove: (key: DocumentKey, version: number) => Promise<boolean>
  /**
   * Lists the documents of a kind, and of `scope` if it is set, in the order of scope and name. A
   * page has at most `triggerLimits.documentsPerPage`. The cursor '' starts at the first page.
   */
  readonly list: (
    kind: DocumentKind,
    cursor: string,
    scope?: DocumentKey['scope'],
  ) => Promise<DocumentPage>
}

/** Marks that exist until they expire. They ensure that one delivery starts one deployment. */
export interface MarksPort {
  /**
   * Creates the mark unless it exists, and returns whether this call created it. An expired mark
   * counts as absent. The adapter gives each call a token, by which it recognizes its own
   * repetition of the call.
   */
  readonly mark: (key: string, expiresAt: EpochMs) => Promise<boolean>
  readonly isMarked: (key: string) => Promise<boolean>
  /** Removes a mark before it expires. */
  readonly unmark: (key: string) => Promise<void>
}

/** Encryption of secrets in documents, with a key of the platform. */
export interface SealingPort {
  /**
   * Encrypts a text and authenticates `context` with it. The result can only be decrypted with the
   * same context. Throws STORE_UNAVAILABLE and SECRETS_KEY_UNUSABLE.
   */
  readonly seal: (text: string, context: string) => Promise<string>
  /** Decrypts a text. Throws SEALED_UNREADABLE, STORE_UNAVAILABLE and SECRETS_KEY_UNUSABLE. */
  readonly open: (sealedText: string, context: string) => Promise<string>
}

/** The ports of triggers. */
export interface TriggerPorts {
  readonly documents: DocumentsPort
  readonly marks: MarksPort
  readonly sealing: SealingPort
}

/** Returns the context that binds a sealed value to its document. */
export function sealingContextOf({ kind, scope, name }: DocumentKey): string {
  return `${kind} ${scope} ${name}`
}
