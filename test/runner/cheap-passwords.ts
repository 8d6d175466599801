/**
 * A password is hashed slowly on purpose, and the tests hash hundreds: in their processes the function does a
 * thousandth of the work. test/journeys/cluster/serve.test.ts checks the cost in the program itself.
 */
import crypto, { type BinaryLike, type ScryptOptions } from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'

const { scrypt } = crypto
type Done = (error: Error | null, key: Buffer) => void

const cheapScrypt = (password: BinaryLike, salt: BinaryLike, bytes: number, _: ScryptOptions, done: Done): void =>
  scrypt(password, salt, bytes, { N: 16, r: 16, p: 1 }, done)

Object.assign(crypto, { scrypt: cheapScrypt })
syncBuiltinESMExports()
