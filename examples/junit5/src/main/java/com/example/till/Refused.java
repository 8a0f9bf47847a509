package com.example.till;

/** A call that the service refused, with the code of its error. */
public final class Refused extends RuntimeException {
  private static final long serialVersionUID = 1;

  public final int status;
  public final String code;

  Refused(int status, String code, String message) {
    super(message);
    this.status = status;
    this.code = code;
  }
}
