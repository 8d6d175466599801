import { GraphError, reject } from '../errors.ts'
import { type Call, missing, requireAccess, requireNumber, requireToken } from './call.ts'
import { META_LIMITS } from '../limits.ts'
import { requireMessagingProduct } from './send.ts'
import type { Kind } from './fields.ts'
import type { MediaFile } from '../accounts/media.ts'

/** The types that Meta accepts, in the order of its error message. */
const MIME_TYPES = `
audio/aac audio/mp4 audio/mpeg audio/amr audio/ogg audio/opus application/vnd.ms-powerpoint application/msword
application/vnd.openxmlformats-officedocument.wordprocessingml.document
application/vnd.openxmlformats-officedocument.presentationml.presentation
application/vnd.openxmlformats-officedocument.spreadsheetml.sheet application/pdf text/plain
application/vnd.ms-excel image/jpeg image/png image/webp video/mp4 video/3gpp
`
  .trim()
  .split(/\s+/)

export const mediaKind: Kind<{ file: MediaFile; url: string }> = {
  name: 'WhatsAppMedia',
  fields: {
    messaging_product: () => 'whatsapp',
    url: ({ url }) => url,
    mime_type: ({ file }) => file.mimeType,
    sha256: ({ file }) => file.sha256,
    file_size: ({ file }) => file.bytes.length,
    id: ({ file }) => file.id,
  },
  defaults: 'messaging_product,url,mime_type,sha256,file_size,id',
}

export async function uploadMedia(call: Call) {
  const { parts, body } = call
  const row = requireNumber(call)
  const file = requireMessagingProduct(body).get('file')
  if (!(file instanceof File)) reject(100, 'file is required, as a part of multipart/form-data')
  const mimeType = requireMimeType(file)
  const { id } = parts.media.add(row, mimeType, Buffer.from(await file.arrayBuffer()), parts.now())
  return { id }
}

export function deleteMedia(call: Call) {
  call.parts.media.remove(requireMedia(call, call.id).id)
  return { success: true }
}

/** The file itself, by the link that `GET /{media_id}` gave. */
export function downloadMedia(call: Call) {
  const { mid, ext } = call.query
  const file = requireMedia(call, String(mid))
  if (!(Number(ext) * 1000 > call.parts.now())) throw new GraphError(100, 'the link has expired', { httpStatus: 404 })
  return call.reply.type(file.mimeType).send(file.bytes)
}

export function findMedia(call: Call, id: string, token: string): MediaFile | undefined {
  const { parts, query } = call
  const file = parts.media.find(id, parts.now())
  if (file === undefined) return undefined
  requireAccess(token, file.row.account)
  const number = query['phone_number_id']
  if (number !== undefined && number !== file.row.number.id) throw missing(id)
  return file
}

export function linkTo({ parts, request: { protocol, host } }: Call, { id }: MediaFile): string {
  const expiresAt = Math.floor((parts.now() + META_LIMITS.mediaLinkMs) / 1000)
  return `${protocol}://${host}/whatsapp_business/attachments/?mid=${id}&ext=${expiresAt}`
}

function requireMedia(call: Call, id: string): MediaFile {
  const file = findMedia(call, id, requireToken(call))
  if (file === undefined) throw missing(id)
  return file
}

/** The part's own type decides, as at Meta: the member `type` is no substitute. */
function requireMimeType({ type }: File): string {
  const [mimeType = ''] = type.toLowerCase().split(';')
  if (MIME_TYPES.includes(mimeType.trim())) return type
  const message = `(#100) Param file must be a file with one of the following types: ${MIME_TYPES.join(', ')}. Received file of type '${type || 'application/octet-stream'}'.`
  throw new GraphError(100, undefined, { message })
}
