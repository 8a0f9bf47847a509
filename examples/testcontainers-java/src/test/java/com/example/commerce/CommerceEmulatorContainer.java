package com.example.commerce;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.containers.wait.strategy.Wait;
import org.testcontainers.utility.DockerImageName;
import org.testcontainers.utility.MountableFile;

/** commerce-emulator in a container of its own, shaped as the modules of Testcontainers are. */
public class CommerceEmulatorContainer extends GenericContainer<CommerceEmulatorContainer> {
  private static final DockerImageName IMAGE = DockerImageName.parse("ghcr.io/commerce-emulator/commerce-emulator");
  private static final int PORT = 4010;

  public CommerceEmulatorContainer() {
    this(IMAGE.withTag("0.1.0"));
  }

  public CommerceEmulatorContainer(DockerImageName image) {
    super(image);
    image.assertCompatibleWith(IMAGE);
    withExposedPorts(PORT);
    waitingFor(Wait.forHttp("/_control/health").forPort(PORT));
  }

  /** The scenario to start with: one of the image's by name, or a file. */
  public CommerceEmulatorContainer withScenario(String scenario) {
    if (!scenario.matches(".*\\.(ya?ml|json)")) return withEnv("SCENARIO", scenario);
    String target = "/scenarios/" + Path.of(scenario).getFileName();
    return withCopyFileToContainer(MountableFile.forHostPath(scenario), target).withEnv("SCENARIO", target);
  }

  /** The emulator's address. */
  public String getUrl() {
    return "http://" + getHost() + ":" + getMappedPort(PORT);
  }

  /** The base address of the API, for clients. */
  public String getBaseUrl() {
    return getUrl() + "/next";
  }

  /** The address of the control API. */
  public String getControlUrl() {
    return getUrl() + "/_control";
  }

  /** Goes back to the scenario's initial state. */
  public void reset() throws IOException, InterruptedException {
    HttpRequest request = HttpRequest.newBuilder(URI.create(getControlUrl() + "/reset")).POST(HttpRequest.BodyPublishers.noBody()).build();
    int status = HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.discarding()).statusCode();
    if (status != 200) throw new IOException("the reset failed with status " + status);
  }
}
