import type { EpochMs, StackId } from '../records/ids.ts'

/** What small documents there are. */
export type DocumentKind = 'webhook' | 'schedule' | 'notification' | 'token'

/** What names a document: unique in its kind and scope. */
export interface DocumentKey {
  readonly kind: DocumentKind
  /** The stack that it belongs to, '*' when to none. */
  readonly scope: StackId | '*'
  readonly name: string
}

/** A document as it is stored: `value` is plain JSON, its secrets sealed. */
export interface StoredDocument {
  readonly key: DocumentKey
  /** Grows with every change; 1 or more. */
  readonly version: number
  readonly value: unknown
}

/** A page of documents: one that cannot be read hides no other. */
export interface DocumentPage {
  readonly documents: readonly StoredDocument[]
  /** Those that cannot be read, each with its error: RECORD_DAMAGED, RECORD_TOO_NEW. */
  readonly unreadable: readonly { readonly key: DocumentKey; readonly why: Error }[]
  /** Where the next page begins; undefined at the end. */
  readonly next: string | undefined
}

/** Small named JSON documents with versions. Each method is atomic. */
export interface DocumentsPort {
  /** Throws RECORD_DAMAGED and RECORD_TOO_NEW. */
  readonly get: (key: DocumentKey) => Promise<StoredDocument | undefined>
  /**
   * Puts a document whose version is still `expected`, 0 when there is none; answers the new
   * version, or false when it is another. A version is never used twice, also not after a removal.
   * A repetition of one call by its adapter is known by a token. Throws DOCUMENT_INVALID.
   */
  readonly put: (key: DocumentKey, value: unknown, expected: number) => Promise<number | false>
  /** Removes a document of this version; false when it has another, true when it is gone. */
  readonly remove: (key: DocumentKey, version: number) => Promise<boolean>
  /** By scope and name, at most `triggerLimits.documentsPerPage`; '' begins. */
  readonly list: (
    kind: DocumentKind,
    cursor: string,
    scope?: DocumentKey['scope'],
  ) => Promise<DocumentPage>
}

/** Marks that are there or not, each until its time: what makes a delivery one deployment. */
export interface MarksPort {
  /**
   * Makes the mark unless it is there; true for who made it. One whose time is over is not there.
   * A repetition of one call by its adapter is known by a token.
   */
  readonly mark: (key: string, until: EpochMs) => Promise<boolean>
  readonly isMarked: (key: string) => Promise<boolean>
  /** Takes a mark away before its time. */
  readonly unmark: (key: string) => Promise<void>
}

/** Encryption of what is secret in a document, with the key of the installation. */
export interface SealingPort {
  /** `about` is authenticated with it: the text opens only for the same words. */
  readonly seal: (text: string, context: string) => Promise<string>
  /** Throws SEALED_UNREADABLE. */
  readonly open: (sealed: string, context: string) => Promise<string>
}

/** The ports of triggers. */
export interface TriggerPorts {
  readonly documents: DocumentsPort
  readonly marks: MarksPort
  readonly sealing: SealingPort
}

/** The words that bind a sealed value to the document it stands in. */
export function sealingContextOf({ kind, scope, name }: DocumentKey): string {
  return `${kind} ${scope} ${name}`
}
