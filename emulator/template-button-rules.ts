import { refuseManagement } from './errors.ts'
import { META_LIMITS } from './limits.ts'
import { characters } from './reading.ts'
import { variablesIn } from './templates.ts'
import type { TemplateButton } from './templates.ts'

/** How many of each kind one template with texts of its own can have. */
const AT_MOST: Record<string, number> = {
  QUICK_REPLY: META_LIMITS.templateButtons,
  URL: META_LIMITS.templateUrlButtons,
  PHONE_NUMBER: META_LIMITS.templatePhoneButtons,
  COPY_CODE: META_LIMITS.templateCouponButtons,
}

export function checkButtons(buttons: readonly TemplateButton[]): void {
  const types = buttons.map((button) => button.type.toUpperCase())
  if (buttons.length < 1 || buttons.length > META_LIMITS.templateButtons) {
    refuseManagement(100, `BUTTONS: 1 to ${META_LIMITS.templateButtons} buttons`)
  }
  for (const type of new Set(types)) {
    const most = AT_MOST[type]
    if (most === undefined) refuseManagement(100, `BUTTONS: type ${type} is not known to the twin`)
    if (types.filter((other) => other === type).length > most)
      refuseManagement(100, `BUTTONS: at most ${most} of type ${type}`)
  }
  checkQuickRepliesTogether(types)
  for (const [index, button] of buttons.entries()) checkButton(button, types[index] ?? '', `BUTTONS[${index}]`)
}

function checkQuickRepliesTogether(types: readonly string[]): void {
  const runs = types.filter((type, at) => type === 'QUICK_REPLY' && types[at - 1] !== 'QUICK_REPLY').length
  if (runs > 1) refuseManagement(100, 'BUTTONS: quick replies must stand together')
}

function checkButton(button: TemplateButton, type: string, path: string): void {
  if (type !== 'COPY_CODE') requireLabel(button.text, path)
  if (type === 'URL') checkUrl(button, path)
  if (type === 'PHONE_NUMBER' && button.phone_number === undefined)
    refuseManagement(100, `${path}: phone_number is required`)
  if (type === 'COPY_CODE' && button.example === undefined) refuseManagement(100, `${path}: example is required`)
}

function checkUrl(button: TemplateButton, path: string): void {
  const url = button.url ?? ''
  if (url === '' || url.length > META_LIMITS.templateUrlCharacters) {
    refuseManagement(100, `${path}: url must have 1 to ${META_LIMITS.templateUrlCharacters} characters`)
  }
  const variables = variablesIn(url)
  if (variables.length === 0) return
  if (variables.length > 1 || !url.endsWith('}}'))
    refuseManagement(100, `${path}: url can have one variable, at its end`)
  if (!Array.isArray(button.example) || button.example.length === 0) {
    refuseManagement(100, `${path}: example needs a sample for the variable`)
  }
}

/** The only button of an authentication template. */
export function checkOtpButton(button: TemplateButton): void {
  const path = 'BUTTONS[0]'
  const kind = (button.otp_type ?? '').toUpperCase()
  if (!['COPY_CODE', 'ONE_TAP', 'ZERO_TAP'].includes(kind)) {
    refuseManagement(100, `${path}: otp_type must be COPY_CODE, ONE_TAP or ZERO_TAP`)
  }
  if (button.text !== undefined) requireLabel(button.text, path)
  if (button.autofill_text !== undefined) requireLabel(button.autofill_text, path)
  if (kind === 'COPY_CODE') return
  checkApps(button, path)
  if (kind === 'ZERO_TAP' && button.zero_tap_terms_accepted !== true) {
    refuseManagement(100, `${path}: zero_tap_terms_accepted must be true`)
  }
}

function checkApps(button: TemplateButton, path: string): void {
  const { package_name, signature_hash, supported_apps } = button
  const single = package_name !== undefined && signature_hash !== undefined ? [{ package_name, signature_hash }] : []
  const apps = supported_apps ?? single
  if (apps.length < 1 || apps.length > 5) refuseManagement(100, `${path}: supported_apps must hold 1 to 5 apps`)
  for (const app of apps) {
    if (app.package_name.length > 224) refuseManagement(100, `${path}: package_name has at most 224 characters`)
    if (app.signature_hash.length !== 11) refuseManagement(100, `${path}: signature_hash has exactly 11 characters`)
  }
}

function requireLabel(text: string | undefined, path: string): void {
  if (text === undefined || text === '' || characters(text) > META_LIMITS.templateButtonTextCharacters) {
    refuseManagement(100, `${path}: text must have 1 to ${META_LIMITS.templateButtonTextCharacters} characters`)
  }
}
