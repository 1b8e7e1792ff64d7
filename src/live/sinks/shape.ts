import type { Notification } from './notification.js';

/** How notifications look to a receiver. A shape is a pure function: the same notification gives the same bytes. */
export interface Shape {
  readonly name: string;
  readonly title: string;
  readonly contentType: string;
  /** One message per notification, without a newline at the end. */
  message(notification: Notification): string;
}
