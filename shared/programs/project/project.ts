import type { ConfigTree } from '../config/config-tree.ts'

/** The type of a project's configuration key. */
export type ConfigType =
  | { readonly name: 'string' | 'integer' | 'boolean' | 'object' }
  | { readonly name: 'array'; readonly items: ConfigType }

/** An entry of `config:` in the project file. */
export interface ProjectConfigEntry {
  /** The key as in the file: `ns:name` or a name, possibly a path. */
  readonly key: string
  readonly type: ConfigType | undefined
  /**
   * The value for stacks that set none: a bare value, or the field `default` or `value` of the
   * entry. Undefined if the entry has none of them.
   */
  readonly value: ConfigTree | undefined
  /** Whether values of the key must be encrypted. */
  readonly isSecret: boolean
}

/** A plugin in a folder that the project file names, in `plugins` or `packages`. */
export interface DeclaredPlugin {
  readonly kind: 'resource' | 'language' | 'analyzer'
  readonly name: string
  /** '' = any requested version. */
  readonly version: string
  /** The folder, absolute or relative to that of the project file. */
  readonly path: string
  /**
   * Whether the project file names the plugin in `packages`. Its folder may contain further
   * packages.
   */
  readonly isPackage: boolean
}

/** The contents of a project file. */
export interface Project {
  readonly name: string
  readonly description: string
  /** The project file. Stack files have the same extension. */
  readonly file: string
  /** The folder of the project file. */
  readonly root: string
  /** '' = no program: only the state is used. */
  readonly runtime: string
  readonly runtimeOptions: Readonly<Record<string, unknown>>
  /** A folder or file, absolute or relative to `root`. '' = `root`. */
  readonly main: string
  /** Sorted by key. */
  readonly config: readonly ProjectConfigEntry[]
  /** The folder of the stack files. */
  readonly stackConfigDir: string
  /** The plugins in folders that the project file names. */
  readonly plugins: readonly DeclaredPlugin[]
  /** Whether the file sets `options.refresh: always`. */
  readonly refreshAlways: boolean
}
